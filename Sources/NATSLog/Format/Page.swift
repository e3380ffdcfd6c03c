internal import ReactorCoding
internal import ReactorLog

/// A part of a session's history in a HIST stream: the entries of several messages of its log.
///
/// A page never changes. It names the pages before it as a message names its predecessors, so that each
/// page of a history of n pages is found in log16(n) steps.
struct Page: Equatable, Sendable {
  /// A page ends when it has this number of entries.
  static let length = 128
  /// A page ends when it has this size, in bytes.
  static let size = 1 << 16

  let epoch: String
  /// The version before the first entry.
  let version: Int
  /// The pages before this one.
  let index: HistoryIndex
  /// The sequence of the message before this one in the subject, also if that is a page of another
  /// history; 0 for none.
  let previous: Int
  let entries: [LogEntry]
  /// The outcomes of idempotency keys that were stored with the entries.
  let outcomes: [StoredOutcome]

  /// The version of the last entry.
  var lastVersion: Int { version + entries.count }

  // `f` format · `e` epoch · `v` version before · `i` positions by level · `q` previous message ·
  // `m` entries · `o` outcomes
  var payload: [UInt8] {
    var text: [UInt8] = []
    text.put("{\"f\":1,\"e\":", string: epoch)
    text.put(",\"v\":", version)
    text.put(",\"i\":")
    index.put(into: &text)
    text.put(",\"q\":", previous)
    text.put(",\"m\":")
    text.put(list: entries) { $1.put(into: &$0) }
    text.put(",\"o\":")
    text.put(list: outcomes) { $1.put(into: &$0) }
    text.put("}")
    return text
  }

  init(
    epoch: String, version: Int, index: HistoryIndex, previous: Int, entries: [LogEntry],
    outcomes: [StoredOutcome]
  ) {
    self.epoch = epoch
    self.version = version
    self.index = index
    self.previous = previous
    self.entries = entries
    self.outcomes = outcomes
  }

  /// Reads a payload, or returns `nil` for one of another format.
  init?(_ payload: [UInt8]) {
    guard let root = try? JSONDocument(parsing: payload).root, root["f"]?.integer() == 1,
      let epoch = root["e"]?.string, let version: Int = root["v"]?.integer(),
      let index = HistoryIndex(root["i"]), let previous: Int = root["q"]?.integer(),
      StoredValues.areCounts(version, previous)
    else { return nil }
    self.epoch = epoch
    self.version = version
    self.index = index
    self.previous = previous
    var entries: [LogEntry] = []
    for element in root["m"]?.elements ?? [] {
      guard let entry = LogEntry(element, version: version + entries.count + 1) else { return nil }
      entries.append(entry)
    }
    self.entries = entries
    var outcomes: [StoredOutcome] = []
    for element in root["o"]?.elements ?? [] {
      guard let outcome = StoredOutcome(element) else { return nil }
      outcomes.append(outcome)
    }
    self.outcomes = outcomes
  }
}

extension HistoryIndex {
  /// Appends the positions: a list per level, of versions and sequences in turn.
  func put(into text: inout [UInt8]) {
    text.put(list: levels) { text, level in
      text.put(list: level) { text, position in
        text.put(position.version)
        text.put(",", position.sequence)
      }
    }
  }

  /// Reads the output of ``put(into:)``, or returns `nil` for anything else.
  ///
  /// - Parameters:
  ///   - json: The positions.
  ///   - position: Returns the position for two numbers.
  init?(
    _ json: JSONElement?,
    _ position: (Int, Int) -> Position = { Position(version: $0, sequence: $1) }
  ) {
    let lists = json?.elements ?? []
    guard lists.count <= Self.levelBound else { return nil }
    var levels: [[Position]] = []
    for level in lists {
      let numbers = (level.elements ?? []).compactMap { $0.integer(as: Int.self) }
      guard numbers.count.isMultiple(of: 2), numbers.count < 2 * Self.fanOut else { return nil }
      levels.append(
        stride(from: 0, to: numbers.count, by: 2).map {
          position(numbers[$0], numbers[$0 + 1])
        })
    }
    self.init(levels)
  }
}

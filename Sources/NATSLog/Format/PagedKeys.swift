internal import ReactorCoding
internal import ReactorLog

/// The hashes of the keys whose outcomes are in the pages of a history, as long as these are retained.
struct PagedKeys: Equatable, Sendable {
  /// The hashes of outcomes that follow one another.
  struct Part: Equatable, Sendable {
    /// The time of the latest outcome, in milliseconds.
    var at: Int64
    var hashes = KeyHashes()
  }

  /// The minimum number of latest outcomes that a lookup finds, as long as they are retained.
  static let bound = 10_000
  /// The number of hashes at which a part is complete: the next page begins another part.
  private static let partLength = 1_024

  /// The parts, the oldest first; each has at least one hash.
  private(set) var parts: [Part] = []

  /// All hashes.
  var hashes: KeyHashes { parts.reduce(into: KeyHashes()) { $0.add($1.hashes) } }

  var count: Int { parts.reduce(0) { $0 + $1.hashes.count } }

  /// Adds the outcomes of a page after the last one, and drops the parts that are not needed any more.
  ///
  /// - Parameters:
  ///   - outcomes: The outcomes of the page.
  ///   - oldest: The time before which outcomes are not retained, in milliseconds.
  mutating func add(_ outcomes: [StoredOutcome], retainingSince oldest: Int64) {
    var hashes = KeyHashes()
    hashes.add(outcomes)
    if hashes.count > 0, let at = outcomes.map(\.at.milliseconds).max() {
      if (parts.last?.hashes.count ?? Self.partLength) >= Self.partLength {
        parts.append(Part(at: at))
      }
      let last = parts.count - 1
      parts[last].at = max(parts[last].at, at)
      parts[last].hashes.add(hashes)
    }
    parts.removeAll { $0.at < oldest }
    while let first = parts.first, count - first.hashes.count >= Self.bound { parts.removeFirst() }
  }

  // MARK: JSON

  // A list of the time and the hashes of each part.
  func put(into text: inout [UInt8]) {
    text.put(list: parts) { text, part in
      text.put("[", part.at)
      text.put(",")
      part.hashes.put(into: &text)
      text.put("]")
    }
  }

  init() {}

  /// Reads the output of ``put(into:)``, or returns `nil` for anything else.
  init?(_ json: JSONElement) {
    guard let elements = json.elements else { return nil }
    for element in elements {
      guard let at = element[0]?.integer(as: Int64.self),
        let hashes = element[1]?.string.flatMap({ KeyHashes($0) })
      else { return nil }
      parts.append(Part(at: at, hashes: hashes))
    }
  }
}

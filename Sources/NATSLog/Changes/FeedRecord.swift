internal import ReactorCoding
internal import ReactorLog

/// A message of the FEED stream: some changes in order, and the positions in the streams that they
/// were read from.
///
/// The append of a record has the fence of all appends: it fails unless it follows the previous
/// record. So exactly one record begins at a position, whichever process writes it, and no change
/// is missing or duplicated.
struct FeedRecord: Equatable, Sendable {
  /// The name of the feed.
  var store: String
  /// The number before the first change of the feed with this name.
  var began = 0
  /// The number before the first change of the record.
  var number = 0
  /// The time of the record, in milliseconds.
  var at: Int64
  /// The sequences that were read: of each LOG stream, and of META.
  var positions: [Int]
  /// The records before this one.
  var index = HistoryIndex()
  var changes: [StoreChange] = []

  var lastNumber: Int { number + changes.count }

  init(store: String, at: Int64, positions: [Int]) {
    self.store = store
    self.at = at
    self.positions = positions
  }

  // `f` format · `s` name · `b` number before the name · `n` number before · `t` time · `v` positions ·
  // `i` records before · `c` changes
  var payload: [UInt8] {
    var text: [UInt8] = []
    text.put("{\"f\":1,\"s\":", string: store)
    text.put(",\"b\":", began)
    text.put(",\"n\":", number)
    text.put(",\"t\":", at)
    text.put(",\"v\":")
    text.put(list: positions) { $0.put($1) }
    text.put(",\"i\":")
    index.put(into: &text)
    text.put(",\"c\":")
    text.put(list: changes) { $1.put(into: &$0) }
    text.put("}")
    return text
  }

  /// Reads a payload, or returns `nil` for one of another format.
  init?(_ payload: [UInt8]) {
    guard let root = try? JSONDocument(parsing: payload).root, root["f"]?.integer() == 1,
      let store = root["s"]?.string, let began: Int = root["b"]?.integer(),
      let number: Int = root["n"]?.integer(), let at = root["t"]?.integer(as: Int64.self),
      let positions = root["v"]?.elements?.compactMap({ $0.integer(as: Int.self) }),
      let index = HistoryIndex(root["i"]), StoredValues.areCounts(began, number),
      positions.allSatisfy({ StoredValues.areCounts($0) })
    else { return nil }
    (self.store, self.began, self.number, self.at) = (store, began, number, at)
    (self.positions, self.index) = (positions, index)
    for element in root["c"]?.elements ?? [] {
      guard let change = StoreChange(element, number: number + changes.count + 1) else {
        return nil
      }
      changes.append(change)
    }
  }
}

extension FeedRecord: IndexedMessage {
  /// The number before the first change.
  var version: Int { number }
}

extension StoreChange {
  // `k` kind · `r` reactor · `i` session or global · `e` epoch · `v` version · `n` version before, or of the
  // origin · `o` origin · `t` time · `by` principal
  fileprivate func put(into text: inout [UInt8]) {
    var (letter, first, origin, name) = ("c", 0, String?.none, key?.id ?? "")
    switch kind {
    case .began(let source):
      (letter, first, origin) = ("b", source?.version ?? 0, source?.session)
    case .changed(let from): first = from
    case .ended: letter = "e"
    case .global(let global): (letter, name) = ("g", global)
    case .damaged: break  // only read, never written
    }
    text.put("{\"k\":", string: letter)
    if let key { text.put(",\"r\":", string: key.reactor) }
    text.put(",\"i\":", string: name)
    text.put(",\"e\":", string: cursor.epoch)
    text.put(",\"v\":", cursor.version)
    text.put(",\"n\":", first)
    if let origin { text.put(",\"o\":", string: origin) }
    text.put(",\"t\":", at.milliseconds)
    if let by { text.put(",\"by\":", string: by) }
    text.put("}")
  }

  fileprivate init?(_ json: JSONElement, number: Int) {
    guard let letter = json["k"]?.string, let name = json["i"]?.string,
      let epoch = json["e"]?.string, let version: Int = json["v"]?.integer(),
      let first: Int = json["n"]?.integer(), let at = json["t"]?.integer(as: Int64.self),
      StoredValues.areCounts(version, first)
    else { return nil }
    let kind: Kind
    switch letter {
    case "b":
      kind = .began(forkedFrom: json["o"]?.string.map { Origin(session: $0, version: first) })
    case "c": kind = .changed(from: first)
    case "e": kind = .ended
    case "g": kind = .global(name: name)
    default: return nil
    }
    self.init(
      number: number, kind: kind,
      key: json["r"]?.string.map { SessionKey(reactor: $0, id: name) },
      cursor: Cursor(epoch: epoch, version: version), at: Timestamp(milliseconds: at),
      by: json["by"]?.string)
  }

  /// The changes that a message of a session's log contains, with the number 0; see
  /// ``numbered(_:)``.
  static func changes(of message: LogMessage, _ key: SessionKey) -> [StoreChange] {
    var changes: [StoreChange] = []
    func add(_ kind: Kind, _ version: Int, _ at: Int64, by: String? = nil) {
      changes.append(
        StoreChange(
          number: 0, kind: kind, key: key, cursor: Cursor(epoch: message.epoch, version: version),
          at: Timestamp(milliseconds: at), by: by))
    }
    switch message.kind {
    case .create:
      let origin = message.origin.map { Origin(session: $0.session, version: $0.version) }
      add(.began(forkedFrom: origin), message.lastVersion, message.at)
    case .batch:
      if message.first == nil { add(.began(forkedFrom: nil), 0, message.at) }
      guard let last = message.batch.entries.last else { break }
      add(
        .changed(from: message.version), message.lastVersion, last.at.milliseconds, by: last.by)
    case .end: if !message.epoch.isEmpty { add(.ended, message.version, message.at) }
    case .void, .anchor: break
    }
    return changes
  }

  func numbered(_ number: Int) -> StoreChange {
    StoreChange(number: number, kind: kind, key: key, cursor: cursor, at: at, by: by)
  }
}

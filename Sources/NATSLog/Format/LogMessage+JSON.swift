internal import ReactorCoding
internal import ReactorLog

extension LogMessage {
  /// The payload.
  ///
  /// ```
  /// f format · k kind · z ended · e epoch · v version before · n number · t time · q creation
  /// i positions by level, each as distances from v and from the expected sequence
  /// s first message · h parameters exist · p parameters · x origin · g beginning · r beginning exists ·
  /// l content
  /// m entries · a accepted · d finished · o outcomes · u timers
  /// j journal · b base · w unfinished actions · y timers · c keyed messages ·
  /// N highest numbers of keys · K hashes of keys
  /// ```
  ///
  /// - Parameter expected: The sequence of the message before this one in the subject.
  /// - Returns: The payload.
  func json(expecting expected: Int) -> [UInt8] {
    var text: [UInt8] = []
    text.put("{\"f\":1,\"k\":", string: kind.rawValue)
    if isEnded { text.put(",\"z\":1") }
    text.put(",\"e\":", string: epoch)
    text.put(",\"v\":", version)
    text.put(",\"n\":", number)
    text.put(",\"t\":", at)
    if let created { text.put(",\"q\":", created) }
    putPositions(into: &text, expected)
    putBatch(into: &text)
    putTotals(into: &text)
    text.put("}")
    return text
  }

  private func putPositions(into text: inout [UInt8], _ expected: Int) {
    if index.levels.contains(where: { !$0.isEmpty }) {
      text.put(",\"i\":")
      text.put(list: index.levels) { text, level in
        text.put(list: level) { text, position in
          // Wrapping, as in ``init(_:expecting:)``.
          text.put(version &- position.version)
          text.put(",", expected &- position.sequence)
        }
      }
    }
    if let first { text.put(",\"s\":", first) }
    if hasParameters { text.put(",\"h\":1") }
    if let parameters { text.put(",\"p\":", json: parameters) }
    if let origin {
      text.put(",\"x\":[", string: origin.session)
      text.put(",", origin.version)
      text.put("]")
    }
    if hasBeginning { text.put(",\"r\":1") }
    if !beginning.isEmpty {
      text.put(",\"g\":")
      beginning.put(into: &text)
    }
    if let content {
      text.put(",\"l\":[", content.sequence)
      if let writer = content.writer {
        text.put(",", string: WriterMark(writer: writer, number: 0).description)
      }
      text.put("]")
    }
  }

  private func putBatch(into text: inout [UInt8]) {
    if !batch.entries.isEmpty {
      text.put(",\"m\":")
      text.put(list: batch.entries) { $1.put(into: &$0) }
    }
    if !batch.accepted.isEmpty {
      text.put(",\"a\":")
      text.put(list: batch.accepted) { $1.put(into: &$0) }
    }
    if !batch.finished.isEmpty {
      text.put(",\"d\":")
      text.put(list: batch.finished) { text, id in
        text.put(list: [id.request, id.place]) { $0.put($1) }
      }
    }
    if !batch.outcomes.isEmpty {
      text.put(",\"o\":")
      text.put(list: batch.outcomes) { $1.put(into: &$0) }
    }
    if !batch.timers.isEmpty {
      text.put(",\"u\":")
      text.put(list: batch.timers) { text, change in
        if let timer = change.timer { return timer.put(into: &text) }
        text.put("{\"id\":", string: change.id)
        text.put("}")
      }
    }
  }

  private func putTotals(into text: inout [UInt8]) {
    if let journal, !journal.isEmpty {
      text.put(",\"j\":")
      journal.put(into: &text)
    }
    if let base {
      text.put(",\"b\":")
      text.put(list: [base.sequence, base.count, base.size]) { $0.put($1) }
    }
    if unfinished > 0 { text.put(",\"w\":", unfinished) }
    if timers > 0 { text.put(",\"y\":", timers) }
    if keyed > 0 {
      text.put(",\"c\":", keyed)
      text.put(",\"N\":")
      numbers.put(into: &text, at: at)
      if let keys, index.hasIncompleteBlock {
        text.put(",\"K\":")
        keys.put(into: &text)
      }
    }
  }

  /// Reads a payload, or returns `nil` if it is not of this format.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - expected: The value of the header field `Nats-Expected-Last-Subject-Sequence`.
  init?(_ payload: [UInt8], expecting expected: Int) {
    guard let root = try? JSONDocument(parsing: payload).root, root["f"]?.integer() == Self.format,
      let kind = root["k"]?.string.flatMap({ Kind(rawValue: $0) }), let epoch = root["e"]?.string,
      let version: Int = root["v"]?.integer(), let number: Int = root["n"]?.integer(),
      let at = root["t"]?.integer(as: Int64.self), StoredValues.areCounts(version, number)
    else { return nil }
    self.init(kind: kind, epoch: epoch, version: version, number: number, at: at)
    isEnded = root["z"] != nil
    created = root["q"]?.integer(as: Int64.self)
    first = root["s"]?.integer()
    hasParameters = root["h"] != nil
    hasBeginning = root["r"] != nil
    parameters = root["p"]?.json
    unfinished = root["w"]?.integer() ?? 0
    timers = root["y"]?.integer() ?? 0
    keyed = root["c"]?.integer() ?? 0
    guard StoredValues.areCounts(first ?? 0, unfinished, timers, keyed) else { return nil }
    // Messages of earlier releases have no marks.
    numbers =
      root["N"].flatMap { NumberMarks($0, at: at) }
      ?? (keyed > 0 ? .unknown(at: at) : NumberMarks())
    guard readPositions(of: root, expected), readBatch(of: root) else { return nil }
    if index.hasIncompleteBlock, keyed > batch.outcomes.count {
      // Messages of earlier releases have no hashes.
      keys = root["K"]?.string.flatMap { KeyHashes($0) }
    }
    if let json = root["j"] {
      guard let read = Journal(json) else { return nil }
      journal = read
    } else if base == nil {
      journal = Journal()
    }
  }

  private mutating func readPositions(of root: JSONElement, _ expected: Int) -> Bool {
    // Wrapping: a damaged message must not trap.
    let read = HistoryIndex(root["i"]) { [version] in
      HistoryIndex.Position(version: version &- $0, sequence: expected &- $1)
    }
    guard let read else { return false }
    index = read
    func three(_ name: String) -> [Int]? {
      let numbers = root[name]?.elements?.compactMap { $0.integer(as: Int.self) }
      return numbers?.count == 3 ? numbers : nil
    }
    if let json = root["x"] {
      guard let session = json[0]?.string, let version: Int = json[1]?.integer(),
        StoredValues.areCounts(version)
      else { return false }
      origin = Origin(session: session, version: version)
    }
    if let json = root["g"] {
      guard let read = Beginning(json) else { return false }
      beginning = read
    }
    if let json = root["l"] {
      guard let sequence: Int = json[0]?.integer(), StoredValues.areCounts(sequence) else {
        return false
      }
      content = Content(
        sequence: sequence, writer: json[1]?.string.flatMap { WriterMark($0) }?.writer)
    }
    guard (kind == .anchor) == (content != nil) else { return false }
    if root["b"] != nil {
      guard let numbers = three("b"), StoredValues.areCounts(numbers[0], numbers[1], numbers[2])
      else { return false }
      base = Base(sequence: numbers[0], count: numbers[1], size: numbers[2])
    }
    return true
  }

  private mutating func readBatch(of root: JSONElement) -> Bool {
    var next = version
    for element in root["m"]?.elements ?? [] {
      next += 1
      guard let entry = LogEntry(element, version: next) else { return false }
      batch.entries.append(entry)
    }
    for element in root["a"]?.elements ?? [] {
      guard let action = AcceptedAction(element) else { return false }
      batch.accepted.append(action)
    }
    for element in root["d"]?.elements ?? [] {
      guard let request: Int = element[0]?.integer(), let place: Int = element[1]?.integer() else {
        return false
      }
      batch.finished.append(AcceptedAction.ID(request: request, place: place))
    }
    for element in root["o"]?.elements ?? [] {
      guard let outcome = StoredOutcome(element) else { return false }
      batch.outcomes.append(outcome)
    }
    for element in root["u"]?.elements ?? [] {
      guard let id = element["id"]?.string else { return false }
      let isRemoval = element["a"] == nil
      let timer = isRemoval ? nil : StoredTimer(element)
      guard isRemoval || timer != nil else { return false }
      batch.timers.append(StoredTimerChange(id: id, timer: timer))
    }
    return true
  }
}

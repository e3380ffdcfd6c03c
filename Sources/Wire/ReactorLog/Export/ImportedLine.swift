internal import ReactorCoding

extension StoredValues {
  /// Whether JSON is an object.
  package static func isObject(_ json: [UInt8]) -> Bool {
    (try? JSONDocument(parsing: json).root.members) != nil
  }
}

/// A line of an export, see ``ExportLines``, with values that a store can have.
package enum ImportedLine {
  /// The first line of a session.
  package struct Session: Sendable {
    package let key: SessionKey
    package let epoch: String
    package let created: Int64
    package let parameters: [UInt8]?
    /// The latest revisions of globals; empty in an export of an earlier release.
    package let globals: [String: UInt64]
    package let isEnded: Bool
  }

  case session(Session)
  case global(String, SharedValue)
  case snapshot(Snapshot)
  case entry(LogEntry)
  case accepted(AcceptedAction)
  case outcome(StoredOutcome)
  case timer(StoredTimer)
  /// A failure, without the id of its session.
  case failure(StoredFailure)

  /// Reads a line.
  ///
  /// - Throws: If it is not of an export, or has a value that no store can have.
  package init(_ text: [UInt8]) throws(InvalidLine) { try self.init(LineMembers(text)) }

  init(_ line: LineMembers) throws(InvalidLine) {
    switch line.kind {
    case .session: self = .session(try Session(line))
    case .shared: self = .global(try line.string("shared"), try SharedValue(line))
    case .snapshot: self = .snapshot(try Snapshot(line))
    case .version: self = .entry(try LogEntry(line))
    case .accepted: self = .accepted(try AcceptedAction(line))
    case .outcome: self = .outcome(try StoredOutcome(line))
    case .timer: self = .timer(try StoredTimer(line))
    case .failed: self = .failure(try StoredFailure(line))
    case .damaged:
      let table = try line.string("damaged")
      let part = table == "session" ? "session" : "row of \(table)"
      throw InvalidLine("is a \(part) that is damaged in the exported store")
    case nil: throw InvalidLine(line.isJSON ? "is not a line of an export" : "is not JSON")
    }
  }
}

extension ImportedLine.Session {
  fileprivate init(_ line: LineMembers) throws(InvalidLine) {
    let name = try line.string("session").utf8
    // The name of a reactor contains no slash.
    let reactor = name.prefix { $0 != UInt8(ascii: "/") }
    key = SessionKey(
      reactor: String(Substring(reactor)), id: String(Substring(name.dropFirst(reactor.count + 1))))
    epoch = try line.string("epoch")
    created = try line.time("created").milliseconds
    parameters = line.optionalJSON("parameters")
    globals = try line.optional("globals") { $0.revisions } ?? [:]
    isEnded = try line.flag("ended")
    guard StoredValues.isValid(key), isEnded || StoredValues.isEpoch(epoch) else {
      throw InvalidLine("has an invalid session id or epoch")
    }
  }
}

extension SharedValue {
  fileprivate init(_ line: LineMembers) throws(InvalidLine) {
    self.init(
      epoch: try line.string("epoch"), version: try line.count("of"),
      revision: try line.required("revision") { $0.revision }, json: try line.json("value"))
  }
}

extension Snapshot {
  fileprivate init(_ line: LineMembers) throws(InvalidLine) {
    self.init(
      version: try line.version("snapshot"), state: try line.json("state"),
      schema: try line.optional("schema") { $0.string } ?? "")
  }
}

extension LogEntry {
  fileprivate init(_ line: LineMembers) throws(InvalidLine) {
    let revision = try line.optional("revision") { $0.revision } ?? 0
    self.init(
      version: try line.version("version"), at: try line.time("at"),
      action: line.optionalJSON("action"),
      global: try line.optional("global") { $0.string }.map {
        GlobalMark(name: $0, revision: revision)
      }, mutation: try line.json("mutation"), by: try line.optional("by") { $0.string })
  }
}

extension AcceptedAction {
  fileprivate init(_ line: LineMembers) throws(InvalidLine) {
    let key = try line.optional("key") { $0.string }
    self.init(
      id: ID(request: try line.count("accepted"), place: try line.count("place")),
      action: try line.json("action"), isInArray: try line.flag("inArray"),
      key: try key.map { (key) throws(InvalidLine) in
        IdempotencyKey(stored: key, body: try line.string("body"))
      }, principal: line.optionalJSON("principal"), context: line.optionalJSON("context"),
      at: try line.time("at"), runs: try line.count("runs"),
      failure: try line.optional("failure") { $0.failure },
      sendName: try line.optional("sendName") { $0.string })
  }
}

extension StoredOutcome {
  fileprivate init(_ line: LineMembers) throws(InvalidLine) {
    self.init(
      key: IdempotencyKey(stored: try line.string("outcome"), body: try line.string("body")),
      at: try line.time("at"), version: try line.count("of"),
      failure: try line.optional("failure") { $0.failure })
  }
}

extension StoredTimer {
  fileprivate init(_ line: LineMembers) throws(InvalidLine) {
    self.init(
      id: try line.string("timer"), due: try line.time("due"), action: try line.json("action"),
      period: try line.optional("period") { $0.integer(in: StoredValues.periods) },
      catchesUp: try line.flag("catchesUp"))
  }
}

extension StoredFailure {
  fileprivate init(_ line: LineMembers) throws(InvalidLine) {
    self.init(
      id: try line.string("failed"), session: "", at: try line.time("at"),
      action: try line.json("action"), principal: line.optionalJSON("principal"),
      context: line.optionalJSON("context"), failure: try line.required("failure") { $0.failure })
  }
}

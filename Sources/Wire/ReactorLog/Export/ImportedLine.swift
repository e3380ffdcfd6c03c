internal import ReactorCoding

extension StoredValues {
  /// Whether JSON is an object.
  package static func isObject(_ json: [UInt8]) -> Bool {
    (try? JSONDocument(parsing: json).root.members) != nil
  }
}

/// A line of an export, see ``ExportLines``.
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

  /// Reads a line, or returns `nil` if it is not of an export.
  package init?(_ text: [UInt8]) {
    guard let root = try? JSONDocument(parsing: text).root else { return nil }
    if let name = root["session"]?.string {
      guard let session = Session(name, root) else { return nil }
      self = .session(session)
    } else if let name = root["shared"]?.string {
      guard let epoch = root["epoch"]?.string, let version: Int = root["of"]?.integer(),
        let revision = root["revision"]?.integer(as: UInt64.self), let json = root["value"]?.json
      else { return nil }
      self = .global(
        name, SharedValue(epoch: epoch, version: version, revision: revision, json: json))
    } else if let version: Int = root["snapshot"]?.integer() {
      guard let state = root["state"]?.json else { return nil }
      self = .snapshot(
        Snapshot(version: version, state: state, schema: root["schema"]?.string ?? ""))
    } else if let version: Int = root["version"]?.integer() {
      guard let entry = Self.entry(version, root) else { return nil }
      self = .entry(entry)
    } else if let request: Int = root["accepted"]?.integer() {
      guard let action = Self.accepted(request, root) else { return nil }
      self = .accepted(action)
    } else if let name = root["outcome"]?.string {
      guard let body = root["body"]?.string, let at = root["at"]?.integer(as: Int64.self),
        let version: Int = root["of"]?.integer()
      else { return nil }
      self = .outcome(
        StoredOutcome(
          key: IdempotencyKey(stored: name, body: body), at: Timestamp(milliseconds: at),
          version: version, failure: root["failure"].flatMap { ActionFailure(json: $0.json) }))
    } else if let id = root["timer"]?.string {
      guard let due = root["due"]?.integer(as: Int64.self), let action = root["action"]?.json
      else { return nil }
      self = .timer(
        StoredTimer(
          id: id, due: Timestamp(milliseconds: due), action: action,
          period: root["period"]?.integer(as: Int64.self), catchesUp: root["catchesUp"] != nil))
    } else if let id = root["failed"]?.string {
      guard let at = root["at"]?.integer(as: Int64.self), let action = root["action"]?.json,
        let failure = root["failure"].flatMap({ ActionFailure(json: $0.json) })
      else { return nil }
      self = .failure(
        StoredFailure(
          id: id, session: "", at: Timestamp(milliseconds: at), action: action,
          principal: root["principal"]?.json, context: root["context"]?.json, failure: failure))
    } else {
      return nil
    }
  }

  /// Whether a store can have the session's name, and all numbers and times.
  package var isPlausible: Bool {
    func isTime(_ time: Timestamp) -> Bool { StoredValues.times.contains(time.milliseconds) }
    return switch self {
    case .session(let session):
      StoredValues.isValid(session.key) && StoredValues.times.contains(session.created)
        && (session.isEnded || StoredValues.isEpoch(session.epoch))
    case .global(_, let value): StoredValues.areCounts(value.version)
    case .snapshot(let snapshot):
      snapshot.version > 0 && StoredValues.areCounts(snapshot.version)
    case .entry(let entry):
      entry.version > 0 && StoredValues.areCounts(entry.version) && isTime(entry.at)
    case .accepted(let action):
      StoredValues.areCounts(action.id.request, action.id.place, action.runs) && isTime(action.at)
    case .outcome(let outcome): StoredValues.areCounts(outcome.version) && isTime(outcome.at)
    case .timer(let timer):
      isTime(timer.due) && timer.period.map { StoredValues.periods.contains($0) } ?? true
    case .failure(let failure): isTime(failure.at)
    }
  }

  private static func entry(_ version: Int, _ root: JSONElement) -> LogEntry? {
    guard let at = root["at"]?.integer(as: Int64.self), let mutation = root["mutation"]?.json else {
      return nil
    }
    let global = root["global"]?.string.map {
      LogEntry.GlobalMark(
        name: $0, revision: root["revision"]?.integer(as: UInt64.self) ?? 0)
    }
    return LogEntry(
      version: version, at: Timestamp(milliseconds: at), action: root["action"]?.json,
      global: global, mutation: mutation, by: root["by"]?.string)
  }

  private static func accepted(_ request: Int, _ root: JSONElement) -> AcceptedAction? {
    guard let place: Int = root["place"]?.integer(), let at = root["at"]?.integer(as: Int64.self),
      let runs: Int = root["runs"]?.integer(), let action = root["action"]?.json
    else { return nil }
    let key = root["key"]?.string.map {
      IdempotencyKey(stored: $0, body: root["body"]?.string ?? "")
    }
    return AcceptedAction(
      id: .init(request: request, place: place), action: action, isInArray: root["inArray"] != nil,
      key: key, principal: root["principal"]?.json,
      context: root["context"]?.json, at: Timestamp(milliseconds: at), runs: runs,
      failure: root["failure"].flatMap { ActionFailure(json: $0.json) },
      sendName: root["sendName"]?.string)
  }
}

extension ImportedLine.Session {
  /// The name of a reactor contains no slash.
  fileprivate init?(_ name: String, _ root: JSONElement) {
    guard let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")),
      let epoch = root["epoch"]?.string, let created = root["created"]?.integer(as: Int64.self)
    else { return nil }
    key = SessionKey(
      reactor: String(name[..<slash]), id: String(name[name.utf8.index(after: slash)...]))
    self.epoch = epoch
    self.created = created
    parameters = root["parameters"]?.json
    var globals: [String: UInt64] = [:]
    for (name, value) in root["globals"]?.members ?? [] {
      guard let revision = value.integer(as: UInt64.self) else { return nil }
      globals[name] = revision
    }
    self.globals = globals
    isEnded = root["ended"] != nil
  }
}

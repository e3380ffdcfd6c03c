internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog

/// The sessions of a fixture as a log that can be read only.
final class FixtureLog: MutationLog {
  /// The lines of one session.
  struct Session: Sendable {
    let key: SessionKey
    let stored: StoredSession
    var entries: [LogEntry] = []
    var snapshots: [Snapshot] = []
    /// The actions of the journal and of timers.
    var actions: [StoredSample] = []
    /// The version and the State that the release has folded which wrote the fixture.
    var expected: (version: Int, state: JSONValue)?

    /// The last version.
    var version: Int { max(entries.last?.version ?? 0, snapshots.last?.version ?? 0) }
  }

  let sessions: [Session]

  /// Reads the lines of `reactord log export`.
  ///
  /// - Throws: If a line is not one of an export.
  init(_ lines: some Sequence<Substring>) throws {
    var sessions: [Session] = []
    for (index, text) in lines.enumerated() {
      let line = try JSONCoder.decode(JSONValue.self, from: Array(text.utf8))
      if let session = try Self.session(line) {
        sessions.append(session)
      } else if line["shared"] == nil {
        guard let last = sessions.indices.last else {
          throw FixtureError(reason: "line \(index + 1) belongs to no session")
        }
        try Self.add(line, to: &sessions[last])
      }
    }
    self.sessions = sessions
  }

  private static func session(_ line: JSONValue) throws -> Session? {
    guard case .string(let name)? = line["session"] else { return nil }
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    guard parts.count == 2, case .string(let epoch)? = line["epoch"] else {
      throw FixtureError(reason: "the session \"\(name)\" is not one of an export")
    }
    return Session(
      key: SessionKey(reactor: parts[0], id: parts[1]),
      stored: StoredSession(
        epoch: epoch, version: 0, lastActiveAt: Timestamp(milliseconds: 0),
        parameters: line["parameters"]?.bytes))
  }

  private static func add(_ line: JSONValue, to session: inout Session) throws {
    if let version = integer(line["version"]), let mutation = line["mutation"] {
      session.entries.append(
        LogEntry(
          version: version, at: Timestamp(milliseconds: 0), action: line["action"]?.bytes,
          mutation: mutation.bytes, by: nil))
    } else if let version = integer(line["snapshot"]), let state = line["state"] {
      session.snapshots.append(Snapshot(version: version, state: state.bytes))
    } else if let version = integer(line["expected"]), let state = line["state"] {
      session.expected = (version, state)
    } else if let action = line["action"] {
      session.actions.append(
        StoredSample(
          line["timer"] == nil ? .action : .timer, of: session.key, json: action.bytes,
          parameters: session.stored.parameters))
    }
  }

  private static func integer(_ value: JSONValue?) -> Int? {
    guard case .number(let number)? = value else { return nil }
    return number.integer(as: Int.self)
  }

  // MARK: Reading

  func session(_ key: SessionKey) -> any SessionLog {
    FixtureSessionLog(session: sessions.first { $0.key == key })
  }

  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    []
  }

  func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(LogError) -> [SessionKey] {
    []
  }

  func sharedValue(_ name: String) throws(LogError) -> SharedValue? {
    nil
  }

  func samples(
    after position: SamplePosition, within time: Duration
  ) throws(LogError) -> SamplePage {
    var page = SamplePage()
    page.samples = sessions.flatMap(\.actions)
    return page
  }

  // MARK: Writing

  func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?
  ) async throws(LogError) { throw .fixture }

  func share(_ value: SharedValue, as name: String) async throws(LogError) { throw .fixture }
}

extension LogError {
  /// The error of every write.
  fileprivate static let fixture = unavailable("A fixture is not written.")
}

/// The error of a file that is not a fixture.
struct FixtureError: Error, CustomStringConvertible {
  let reason: String
  var description: String { "not an export of reactord: \(reason)" }
}

private final class FixtureSessionLog: SessionLog {
  private let session: FixtureLog.Session?

  init(session: FixtureLog.Session?) { self.session = session }

  private var recorded: SessionRecord {
    guard let session else { return .none }
    return .stored(
      StoredSession(
        epoch: session.stored.epoch, version: session.version,
        lastActiveAt: session.stored.lastActiveAt, parameters: session.stored.parameters))
  }

  func record() throws(LogError) -> SessionRecord {
    recorded
  }

  func load(schema: String?) throws(LogError) -> LoadedSession {
    LoadedSession(recorded)
  }

  func entries(
    after version: Int, limit: Int
  ) throws(LogError) -> [LogEntry] {
    let rest = (session?.entries ?? []).drop { $0.version <= version }
    return Array(rest.prefix(limit))
  }

  func snapshot(
    atOrBefore version: Int, of schema: String?
  ) throws(LogError) -> Snapshot? {
    session?.snapshots.last { $0.version <= version && (schema == nil || $0.schema == schema) }
  }

  func outcome(of key: String) throws(LogError) -> StoredOutcome? {
    nil
  }

  var collectsBatches: Bool { false }

  func create(
    epoch: String, parameters: [UInt8]?, replacesEnded: Bool
  ) async throws(LogError) { throw .fixture }

  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    completion(.failure(.fixture))
  }

  func end() async throws(LogError) { throw .fixture }

  func save(_ snapshot: Snapshot, of epoch: String) {}
}

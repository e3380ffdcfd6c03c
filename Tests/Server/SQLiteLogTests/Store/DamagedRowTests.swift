import Foundation
import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import Synchronization
import Telemetry
import Testing
import TestSupport

@testable import SQLiteLog

/// Rows that another program has changed.
@Suite struct DamagedRowTests {
  private static let demo = SessionKey(reactor: "sum", id: "demo")

  private let folder: TemporaryFolder

  /// Creates a store with rows in all tables.
  init() async throws {
    folder = try TemporaryFolder()
    let log = try SQLiteLog(path: path, changeRetention: .seconds(86_400))
    for id in ["demo", "other"] {
      let session = log.session(SessionKey(reactor: "sum", id: id))
      let key = IdempotencyKey("key", for: [])
      let failure = ActionFailure(
        index: 0, reason: .init(status: 409, title: "Conflict", detail: "twice"))
      let entries = (1...4).map { version in
        LogEntry(
          version: version, at: .now, action: Array(#"{"add":1}"#.utf8),
          global: version == 2 ? .init(name: "motto", revision: 7) : nil,
          mutation: Array(#"{"plus":1}"#.utf8), by: "ada")
      }
      let accepted = (0...1).map { place in
        AcceptedAction(
          id: .init(request: 1, place: place), action: Array(#"{"add":1}"#.utf8), isInArray: true,
          key: key, principal: Array(#"{"id":"ada"}"#.utf8), at: .now,
          failure: place == 0 ? failure : nil, sendName: "name")
      }
      let timer = StoredTimer(
        id: "timer", due: Timestamp(milliseconds: 1000), action: Array(#"{"add":1}"#.utf8),
        period: 86_400_000)
      try await session.append(
        LogBatch(
          entries, accepted: accepted,
          outcomes: [
            StoredOutcome(
              key: IdempotencyKey("old", for: Array(#"{"add":1}"#.utf8)), at: .now, version: 2,
              failure: failure)
          ], timers: [StoredTimerChange(id: "timer", timer: timer)]),
        to: "one", expecting: 0)
      session.save(Snapshot(version: 2, state: Array(#"{"count":2}"#.utf8), schema: "s"), of: "one")
    }
    try await log.session(SessionKey(reactor: "sum", id: "ended")).end()
    try await log.share(
      SharedValue(epoch: "one", version: 3, revision: 7, json: Array("5".utf8)), as: "motto")
    try await log.drain()
    #expect(log.close())
    try execute("INSERT INTO removals VALUES (999)")
  }

  private var path: String { folder["log.db"] }

  private func execute(_ statements: String, at path: String? = nil) throws {
    try StoreFile(path: path ?? self.path).open(for: .writing).execute(statements)
  }

  @Test func `undamaged rows have no findings`() throws {
    #expect(try SQLiteMaintenance(path: path).check() == [])
  }

  @Test(arguments: [
    "accepted SET request = -1", "accepted SET place = 9223372036854775807 - place",
    "accepted SET runs = 9223372036854775807", "accepted SET at = -9223372036854775808",
    "accepted SET body = NULL", #"accepted SET failure = '{"index":'"#,
    "accepted SET principal = '{'", "timers SET due = 9223372036854775807",
    "timers SET period = 0", "timers SET id = CAST(x'ff' AS TEXT)",
    "sessions SET created = 9223372036854775807", "sessions SET epoch = ''",
    "snapshots SET version = 9223372036854775807",
  ])
  func `a row with an invalid value is an error of its session`(_ change: String) throws {
    try execute("UPDATE \(change) WHERE \(change.hasPrefix("sessions") ? "id" : "session") = 1")
    let log = try SQLiteLog(path: path)
    defer { log.close() }
    let error = #expect(throws: LogError.self) { try log.session(Self.demo).load() }
    guard case .corrupt = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
    #expect(try log.session(SessionKey(reactor: "sum", id: "other")).load().entries.count == 2)
  }

  @Test(arguments: [
    "at = 9223372036854775807", "version = 9223372036854775807", "failure = '{'",
  ])
  func `an outcome with an invalid value is an error of its key`(_ change: String) throws {
    try execute("UPDATE outcomes SET \(change) WHERE session = 1")
    let log = try SQLiteLog(path: path)
    defer { log.close() }
    #expect(throws: LogError.self) { try log.session(Self.demo).outcome(of: "old") }
    #expect(try log.session(Self.demo).outcome(of: "new") == nil)
  }

  @Test func `a global with an invalid version is not restored`() throws {
    try execute("UPDATE shared SET version = 9223372036854775807")
    let log = try SQLiteLog(path: path)
    defer { log.close() }
    #expect(throws: LogError.self) { try log.sharedValue("motto") }
  }

  @Test func `lists continue after damaged ids`() throws {
    try execute(
      """
      UPDATE sessions SET session = CAST(x'64ff' AS TEXT) WHERE id = 1;
      UPDATE timers SET due = 9223372036854775807 WHERE session = 2;
      """)
    let log = try SQLiteLog(path: path)
    defer { log.close() }
    #expect(try log.sessions(of: "sum", after: nil, limit: 1).map(\.id) == ["other"])
    #expect(try log.unfinishedSessions(after: nil, limit: 1).map(\.id) == ["other"])
    #expect(
      try log.dueTimers(after: nil, until: Timestamp(milliseconds: .max), limit: 1) == .none)
  }

  @Test(arguments: [
    "kind = 9", "kind = -1", "session = 'bad id'", "session = ''", "reactor = ''",
    "session = hex(zeroblob(2500))", "session = CAST(x'ff' AS TEXT)", "version = -1",
    "first = 9223372036854775807", "at = 9223372036854775807", "epoch = 'a\"b'",
    "epoch = 'a' || char(1)", "origin = 'a\\b'",
  ])
  func `a damaged change is named in the feed, and the others follow`(_ change: String) throws {
    for numbers in [[1], [3], [1, 3], [1, 2, 3, 4]] {
      let list = numbers.map(String.init).joined(separator: ",")
      let copy = folder["copy-\(list).db"]
      try SQLiteMaintenance(path: path).backUp(to: copy)
      try execute("INSERT INTO feed SELECT 'named'", at: copy)
      try execute("UPDATE changes SET \(change) WHERE number IN (\(list))", at: copy)
      let lines = Mutex(0)
      let log = try SQLiteLog(
        path: copy, changeRetention: .seconds(86_400),
        logger: Logger(level: .error) { _, _, _ in lines.withLock { $0 += 1 } })
      let feed = try #require(log.changes)
      let latest = feed.latest
      for _ in 0..<2 {
        let changes = try feed.changes(after: 0, limit: 9)
        #expect(changes.map(\.number) == Array(1...latest))
        let damaged = changes.filter { if case .damaged = $0.kind { true } else { false } }
        #expect(damaged.map(\.number) == numbers.filter { $0 <= latest })
      }
      #expect(lines.withLock { $0 } == numbers.filter { $0 <= latest }.count)
      log.close()
    }
  }

  @Test func `a damaged number begins the feed again`() throws {
    var log = try SQLiteLog(path: path, changeRetention: .seconds(86_400))
    var feed = try #require(log.changes)
    let name = feed.store
    log.close()
    try execute("UPDATE changes SET number = 9223372036854775807 WHERE number = 3")
    log = try SQLiteLog(path: path, changeRetention: .seconds(86_400))
    defer { log.close() }
    feed = try #require(log.changes)
    #expect(feed.store != name)
    #expect(feed.latest == 0)
  }

  /// The number of sessions in an export.
  private static func sessionCount(of lines: [[UInt8]]) -> Int {
    lines.filter {
      let text = String(decoding: $0, as: UTF8.self)
      return text.hasPrefix(#"{"session""#) || text.hasPrefix(#"{"damaged":"session""#)
    }.count
  }

  /// Damage of the first session, by table and by the columns of each.
  @Test(arguments: [
    "sessions SET session = 'bad id'", "sessions SET session = ''", "sessions SET session = '..'",
    "sessions SET session = hex(zeroblob(2500))", "sessions SET session = CAST(x'ff' AS TEXT)",
    "sessions SET reactor = ''", "sessions SET parameters = '{'", "sessions SET epoch = ''",
    "sessions SET created = 9223372036854775807", "mutations SET mutation = '{'",
    "mutations SET action = ''", "mutations SET revision = NULL",
    "mutations SET version = -version",
    "mutations SET at = 9223372036854775807", "snapshots SET state = '{'",
    "snapshots SET version = -1", "accepted SET action = '['", "accepted SET failure = '{'",
    "accepted SET principal = '{'", "accepted SET runs = -1",
    "accepted SET at = -9223372036854775808",
    "outcomes SET failure = '{'", "outcomes SET version = -1", "timers SET action = '{'",
    "timers SET period = 0", "timers SET due = 9223372036854775807",
  ])
  func `no row ends an export, a list or an import of the others`(_ change: String) throws {
    try execute("UPDATE \(change) WHERE \(change.hasPrefix("sessions") ? "id" : "session") = 1")
    let lines = Mutex<[[UInt8]]>([])
    try SQLiteMaintenance(path: path).export { line in lines.withLock { $0.append(line) } }
    func next(_ lines: [[UInt8]]) -> () -> [UInt8]? {
      var rest = lines[...]
      return { rest.popFirst() }
    }
    let all = lines.withLock { $0 }
    let strict = SQLiteMaintenance(path: folder["strict.db"])
    #expect(throws: SQLiteLogError.self) { try strict.import(next(all)) }
    let reports = Mutex<[String]>([])
    let imported = folder["imported.db"]
    #expect(
      try SQLiteMaintenance(path: imported).import(
        leavingOut: { text in reports.withLock { $0.append(text) } }, next(all))
        == Self.sessionCount(of: all) - 1)
    #expect(reports.withLock { $0.count } == 1)
    #expect(reports.withLock { $0.first?.hasPrefix("line ") } == true)
    for store in [path, imported] {
      let log = try SQLiteLog(path: store)
      defer { log.close() }
      let other = log.session(SessionKey(reactor: "sum", id: "other"))
      let loaded = try other.load()
      #expect(loaded.entries.count == 2)
      #expect(loaded.acceptedActions.count == 2)
      #expect(loaded.timers.count == 1)
      #expect(try other.entries(after: 0, limit: 9).count == 4)
      #expect(try log.sessions(of: "sum", after: nil, limit: 9).map(\.id).contains("other"))
      #expect(try log.unfinishedSessions(after: nil, limit: 9).map(\.id).contains("other"))
      #expect(try log.sharedValue("motto")?.version == 3)
      let ids = try log.sessions(of: "sum", after: nil, limit: 9).map(\.id)
      #expect(store == path || !ids.contains("demo"))
    }
    #expect(try SQLiteMaintenance(path: imported).check() == [])
  }

  @Test func `a damaged global is left out, and the sessions are imported`() throws {
    try execute("UPDATE shared SET value = '{'")
    let lines = Mutex<[[UInt8]]>([])
    try SQLiteMaintenance(path: path).export { line in lines.withLock { $0.append(line) } }
    let count = Self.sessionCount(of: lines.withLock { $0 })
    let reports = Mutex(0)
    let store = SQLiteMaintenance(path: folder["imported.db"])
    let imported = try store.import(leavingOut: { _ in reports.withLock { $0 += 1 } }) {
      lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
    #expect(imported == count)
    #expect(reports.withLock { $0 } == 1)
  }

  @Test func `an id of a history that is too large does not affect new sessions`() async throws {
    try execute("UPDATE sessions SET id = 9223372036854775807 WHERE session = 'ended'")
    let log = try SQLiteLog(path: path)
    for id in ["a", "b"] { try await log.session(.init(reactor: "sum", id: id)).create(epoch: "x") }
    #expect(try log.sessions(of: "sum", after: nil, limit: 9).count == 4)
    log.close()
  }

  @Test func `findings name the tables`() throws {
    try execute("UPDATE accepted SET runs = -1; UPDATE timers SET period = 0 WHERE session = 1")
    #expect(
      try SQLiteMaintenance(path: path).check() == [
        "accepted: 4 rows with an invalid value", "timers: 1 rows with an invalid value",
      ])
  }

  // MARK: Any value in any column

  private final class Sum: Reactor {
    enum Action: Codable, Sendable { case add(Int) }
    enum Mutation: Codable, Sendable { case plus(Int) }
    struct State: Codable, Sendable { var count = 0 }

    let initialState = State()

    func mutate(action: Action) -> Observable<Mutation> {
      guard case .add(let number) = action else { return .empty() }
      return .just(.plus(number))
    }

    func reduce(state: State, mutation: Mutation) -> State {
      guard case .plus(let number) = mutation else { return state }
      return State(count: state.count &+ number)
    }
  }

  @Test(arguments: [
    "sessions", "mutations", "snapshots", "globals", "accepted", "outcomes", "timers", "shared",
    "changes", "feed", "removals",
  ])
  func `no value in any column ends the process`(_ table: String) async throws {
    // Without the types and constraints, each column accepts each value.
    try execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(replace(replace(
        sql, ') STRICT, WITHOUT', ') WITHOUT'), ') STRICT', ')'), ' NOT NULL', '')
      WHERE type = 'table';
      PRAGMA writable_schema = OFF;
      """)
    let columns = try StoreFile(path: path).open(for: .reading).prepare(
      "SELECT name, type = 'INTEGER' FROM pragma_table_info('\(table)')")
    var cases: [(column: String, value: String)] = []
    while let (column, isInteger) = try columns.next(as: (String, Bool).self) {
      let values =
        isInteger
        ? ["NULL", "-1", "-9223372036854775808", "9223372036854775807", "1e300", "'x'"]
        : ["NULL", "''", #"'{"a":'"#, "CAST(x'ff00' AS TEXT)", "x'00ff'", "-1"]
      cases += values.map { (column, $0) }
    }
    #expect(cases.count >= 6)
    for (index, (column, value)) in cases.enumerated() {
      let copy = folder["\(index).db"]
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      // An integer that is the key of its table accepts no other type.
      try? execute("UPDATE OR IGNORE \(table) SET \(column) = \(value)", at: copy)
      // An error is permitted, also of the start.
      try? await use(copy)
      _ = try? SQLiteMaintenance(path: copy).check()
      try? SQLiteMaintenance(path: copy).export { _ in }
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: copy + suffix)
      }
    }
  }

  /// Starts a host with a store, and uses all that it has.
  private func use(_ path: String) async throws {
    let log = try SQLiteLog(path: path, changeRetention: .seconds(86_400))
    defer { log.close() }
    let global = Global("motto", 0)
    let host = Host(
      [ReactorRegistration("sum", summary: "") { Sum() }], globals: [global], log: log)
    await host.resumeInterruptedActions()
    let timers = Task { await host.fireTimers() }
    defer { timers.cancel() }
    let reactor = try #require(host.reactor("sum"))
    for id in ["demo", "other", "ended", "new"] {
      try? await reactor.useAll(of: id)
      _ = try? reactor.refold(id)
      _ = try? log.session(SessionKey(reactor: "sum", id: id)).outcome(of: "old")
    }
    _ = try? await reactor.sessions(after: nil, limit: 9)
    _ = try? log.dueTimers(after: nil, until: Timestamp(milliseconds: .max), limit: 9)
    if let feed = log.changes, let floor = try? feed.floor() {
      for change in (try? feed.changes(after: floor, limit: 99)) ?? [] {
        _ = try? host.entries(of: change)
        _ = try? await host.state(after: change)
      }
    }
    _ = try? await global.set(1)
    for id in ["demo", "other"] {
      try? await reactor.endSession(id)
    }
  }
}

extension HostedReactor {
  /// Executes actions in a session, reads all that it has, and forks it.
  fileprivate func useAll(of id: String) async throws {
    let session = try await self.session(id, for: .use).session
    for key in [nil, "key", "old"] {
      _ = try? await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<ActionOutcome, any Error>) in
        do {
          try session.submit(
            Array(#"{"add":1}"#.utf8), ifAt: nil, key: key, for: nil, accepted: nil,
            completion: { continuation.resume(returning: $0) })
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
    _ = try? await session.entries(after: 0, limit: 99)
    for version in 0...4 { _ = try? await session.state(at: version) }
    _ = try? await session.replay(after: nil).next(limit: 99)
    _ = try? await session.timers(after: nil, limit: 9)
    _ = try? await fork(id, at: nil, to: id + "-fork")
  }
}

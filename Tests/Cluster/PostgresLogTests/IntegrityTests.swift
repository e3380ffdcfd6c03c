import PostgresLog
import PostgresServers
import ReactorLog
import TestSupport
import Testing

/// Damage in a store: changed, missing and exchanged rows.
///
/// One case at a time, because a server has a limited number of connections.
@Suite(.serialized) struct IntegrityTests {
  private let settings: PostgresLog.Settings
  private let log: PostgresLog
  private var session: any SessionLog { log.demo() }

  /// Creates two sessions with 20 entries each, and snapshots of the versions 5 and 10 of one.
  init() async throws {
    settings = try newStore(changes: .seconds(86_400))
    log = try PostgresLog(settings)
    try await session.append(1...20, to: "one")
    for version in [5, 10] {
      session.save(Snapshot(version: version, state: Array("\(version)".utf8)), of: "one")
    }
    try await log.demo("other").append(1...20, to: "two")
  }

  private func damage(_ statement: String) throws {
    let demo = "(select id from \(settings.schema).sessions where session = 'demo')"
    try PostgresServer.shared.get().query(
      "set search_path = \(settings.schema); \(statement.replacing("DEMO", with: demo))")
  }

  private var findings: [String] {
    get throws {
      try PostgresMaintenance(settings.address, schema: settings.schema).check()
    }
  }

  @Test func `an undamaged store has no findings, and neither has a fork or an import`()
    async throws
  {
    try await fork(at: 12)
    try await log.demo("fork").append(13...14, to: "three")
    #expect(try log.demo("fork").entries(after: 0, limit: 100).count == 14)
    #expect(try log.demo("fork").snapshot(atOrBefore: 14)?.version == 10)
    #expect(try findings == [])
    var lines: [[UInt8]] = []
    try PostgresMaintenance(settings.address, schema: settings.schema).export { lines.append($0) }
    let copy = try newStore()
    let target = PostgresMaintenance(copy.address, schema: copy.schema)
    var rest = lines[...]
    #expect(try target.import { rest.popFirst() } == 3)
    #expect(try target.check() == [])
    #expect(try target.countSessions().map(\.count) == [3])
    let reader = try PostgresLog(reading: copy)
    #expect(try reader.demo("fork").entries(after: 0, limit: 100).count == 14)
    await #expect(throws: LogError.self) { try await reader.demo().append(21...21, to: "one") }
  }

  private func fork(at version: Int) async throws {
    try await log.fork(
      SessionKey(reactor: "counter", id: "demo"), at: Cursor(epoch: "one", version: version),
      to: SessionKey(reactor: "counter", id: "fork"), epoch: "three")
  }

  @Test func `entries that retention deletes during a copy leave no gap in it`() async throws {
    let marked = LogEntry(
      version: 21, at: Timestamp(milliseconds: 1_700_000_000_021), action: nil,
      global: LogEntry.GlobalMark(name: "user", revision: 1), mutation: Array("1".utf8))
    try await session.append(LogBatch([marked]), to: "one", expecting: 20)
    try await session.append(22...25, to: "one")
    session.save(Snapshot(version: 25, state: Array("25".utf8)), of: "one")
    try await session.append(26...30, to: "one")
    // The first slice copies version 15 and later ones.
    try damage(
      """
      create function shorten() returns trigger language plpgsql as $$ begin
        delete from \(settings.schema).mutations where history = DEMO and version <= 25;
        insert into \(settings.schema).globals select shard, id, 'user', 1
        from \(settings.schema).sessions where session = 'demo' on conflict do nothing;
        return null;
      end $$;
      create trigger shortens after insert on mutations for each statement execute function shorten()
      """)
    try await fork(at: 30)
    #expect(try log.demo("fork").entries(after: 14, limit: 100).map(\.version) == Array(15...30))
    #expect(try log.demo("fork").snapshot(atOrBefore: 30)?.version == 25)
    #expect(try findings == [])
  }

  @Test(arguments: [
    #"mutation = '{"change":{"by":9}}'"#, "action = '1'", "action = null", "at = at + 1",
    "global = 'user', revision = 1", "checksum = checksum + 1", "principal = 'eve'",
  ])
  func `a changed entry is found, and the entries beside it stay readable`(
    _ change: String
  ) throws {
    try damage("update mutations set \(change) where history = DEMO and version = 8")
    #expect(try findings == ["counter/demo: version 8 does not match its checksum"])
    #expect(try session.entries(after: 0, limit: 100).map(\.version) == Array(1...7))
    let error = #expect(throws: LogError.self) { try session.entries(after: 7, limit: 100) }
    guard case .corrupt(let reason) = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
    #expect(reason.contains("version 8"))
    #expect(try session.entries(after: 8, limit: 100).map(\.version) == Array(9...20))
    #expect(try log.demo("other").entries(after: 0, limit: 100).count == 20)
  }

  @Test func `a missing entry is found`() throws {
    try damage("delete from mutations where history = DEMO and version = 8")
    #expect(try findings == ["counter/demo: version 8 is missing"])
    #expect(try session.entries(after: 0, limit: 100).map(\.version) == Array(1...7))
    #expect(throws: LogError.self) { try session.entries(after: 7, limit: 100) }
  }

  @Test func `missing latest entries, and missing first ones without a snapshot, are found`() throws
  {
    try damage("delete from mutations where history <> DEMO and version in (1, 2, 20)")
    #expect(
      try findings == [
        "counter/other: the session has version 20, and the log ends with 19",
        "counter/other: the log begins with version 3, without a snapshot",
      ])
    try damage("delete from mutations where history = DEMO and version <= 5")
    #expect(try findings.allSatisfy { $0.hasPrefix("counter/other") })
  }

  @Test func `entries of another session, or of another version, are found`() throws {
    try damage(
      """
      update mutations m set mutation = o.mutation, at = o.at, checksum = o.checksum from mutations o
      where m.history = DEMO and o.history <> DEMO and m.version = 8 and o.version = 8;
      update mutations m set mutation = o.mutation, at = o.at, checksum = o.checksum from mutations o
      where m.history <> DEMO and o.history = m.history and m.version = 11 and o.version = 10
      """)
    #expect(
      try findings.sorted() == [
        "counter/demo: version 8 does not match its checksum",
        "counter/other: version 11 does not match its checksum",
      ])
    #expect(throws: LogError.self) { try session.entries(after: 7, limit: 100) }
  }

  @Test(arguments: ["state = '11'", "schema = 'x'", "checksum = 0", "version = 12"])
  func `a damaged snapshot is found, and an earlier one is used`(_ change: String) throws {
    try damage("update snapshots set \(change) where history = DEMO and version = 10")
    #expect(try findings.count == 1)
    #expect(try session.snapshot(atOrBefore: 20)?.version == 5)
  }

  @Test func `a damaged snapshot that replaces entries is an error of its session`() throws {
    try damage(
      """
      delete from mutations where history = DEMO and version <= 10;
      delete from snapshots where history = DEMO and version = 5
      """)
    #expect(try findings == [])
    #expect(try session.entries(after: 10, limit: 100).map(\.version) == Array(11...20))
    try damage("update snapshots set state = '11' where history = DEMO and version = 10")
    #expect(throws: LogError.self) { try session.snapshot(atOrBefore: 20) }
    #expect(try log.demo("other").stored?.version == 20)
  }

  @Test func `values without a checksum, damaged ids and rows without a session are found`() throws
  {
    try damage(
      """
      update sessions set session = 'bad id' where session = 'other';
      update sessions set created = 9223372036854775807 where id = DEMO;
      insert into outcomes values (1, 999, 'k', '', 1, 1, null)
      """)
    #expect(
      try findings == [
        "outcomes: 1 rows of the history 999, which no session has",
        "sessions: 1 rows with an invalid value",
      ])
    let listed = try log.sessions(of: "counter", after: nil, limit: 1)
    #expect(listed.map(\.id) == ["demo"])
  }

  @Test func `a damaged change is named, and the others are delivered`() throws {
    try damage("update changes set version = -1 where session = 'demo'")
    let feed = try #require(log.changes)
    let kinds = try feed.changes(after: 0, limit: 10).map(\.kind)
    #expect(kinds.count { if case .damaged("counter/demo") = $0 { true } else { false } } >= 1)
    #expect(kinds.count { if case .began = $0 { true } else { false } } >= 1)
  }
}

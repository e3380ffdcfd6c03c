import Foundation
import LogTestSupport
import ReactorLog
import SQLiteLog
import Testing
import TestSupport

/// Stores that were written by earlier releases.
@Suite struct MigrationTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Shell.sqlite(folder["log.db"], Self.firstRelease)
  }

  private static let demo = SessionKey(reactor: "counter", id: "demo")

  @Test func `a store of the first release is migrated without loss and accepts new entries`()
    async throws
  {
    let log = try SQLiteLog(path: folder["log.db"])
    let session = log.session(Self.demo)
    #expect(
      try session.record()
        == .stored(
          StoredSession(
            epoch: "k3x9q2", version: 3, lastActiveAt: Timestamp(milliseconds: 1003),
            globals: ["user": 7])))
    #expect(try session.entries(after: 0, limit: 9).map(\.version) == [1, 2, 3])
    #expect(try session.snapshot(atOrBefore: 9)?.version == 2)
    let outcome = StoredOutcome(
      key: IdempotencyKey("k", for: []), at: .now, version: 3, failure: nil)
    try await session.append(LogBatch(outcomes: [outcome]), to: "k3x9q2", expecting: 3)
    #expect(try session.outcome(of: "k") == outcome)
    let signed = LogEntry(
      version: 4, at: Timestamp(milliseconds: 1004), action: nil, mutation: [0x31], by: "ada")
    try await session.append(LogBatch([signed]), to: "k3x9q2", expecting: 3)
    #expect(try session.entries(after: 2, limit: 9).map(\.by) == [nil, "ada"])
    #expect(try log.session(SessionKey(reactor: "counter", id: "gone")).record() == .ended)
    #expect(log.close())
    #expect(try SQLiteMaintenance(path: folder["log.db"]).check() == [])
  }

  @Test func `documents of other types are those up to the last version that they wrote`()
    async throws
  {
    func former(_ log: SQLiteLog, _ key: SessionKey, _ schema: String) throws -> Int? {
      guard case .stored(let stored) = try log.session(key).load(schema: schema).record else {
        return nil
      }
      return stored.formerVersion
    }
    let other = SessionKey(reactor: "counter", id: "new")
    for (release, (schema, versions)) in [
      ("a", (3, -1)), ("a", (3, -1)), ("b", (4, 1)), ("a", (5, 2)),
    ].enumerated() {
      let log = try SQLiteLog(path: folder["log.db"])
      log.willFold("counter", schema: schema)
      if release == 0 { try await log.session(other).create(epoch: "new") }
      #expect(try former(log, Self.demo, schema) == versions.0)
      #expect(try former(log, other, schema) == versions.1)
      guard release > 0 else {
        #expect(log.close())
        continue
      }
      for (key, epoch, version) in [
        (Self.demo, "k3x9q2", release + 2), (other, "new", release - 1),
      ] {
        let entry = LogEntry(
          version: version + 1, at: Timestamp(milliseconds: 2000), action: nil, mutation: [0x31])
        try await log.session(key).append(LogBatch([entry]), to: epoch, expecting: version)
      }
      #expect(try former(log, Self.demo, schema) == versions.0)
      #expect(try former(log, other, schema) == versions.1)
      #expect(log.close())
    }
  }

  @Test func `a store of the first release can be read after the service has migrated it`() throws {
    let error = #expect(throws: SQLiteLogError.self) { try SQLiteLog(reading: folder["log.db"]) }
    #expect(error?.code == .unsuitable)
    try SQLiteLog(path: folder["log.db"]).close()
    _ = try SQLiteLog(reading: folder["log.db"])
  }

  @Test func `the names of migrated sessions are unique, also those of ended ones`() async throws {
    let log = try SQLiteLog(path: folder["log.db"])
    let gone = log.session(SessionKey(reactor: "counter", id: "gone"))
    await #expect(throws: LogError.lost(to: nil)) {
      try await log.session(Self.demo).create(epoch: "second")
    }
    try await gone.create(epoch: "second")
    #expect(log.close())
    let rows = try Shell.sqlite(
      folder["log.db"], "SELECT session, ended FROM sessions ORDER BY session")
    #expect(rows == "demo|0\ngone|0\n")
  }

  @Test func `sessions are listed and found with one index`() throws {
    try SQLiteLog(path: folder["log.db"]).close()
    let indexes = "SELECT name FROM sqlite_schema WHERE tbl_name = 'sessions' AND type = 'index'"
    #expect(try Shell.sqlite(folder["log.db"], indexes) == "sessions_by_name\n")
    for condition in [
      "ended = 0 AND session > 'a' ORDER BY session", "ended = 1 AND session = 'a'",
    ] {
      let plan = try Shell.sqlite(
        folder["log.db"],
        "EXPLAIN QUERY PLAN SELECT epoch FROM sessions WHERE reactor = 'counter' AND \(condition)")
      #expect(plan.contains("USING INDEX sessions_by_name (reactor=? AND ended=? AND session"))
      #expect(!plan.contains("TEMP B-TREE"))
    }
  }

  @Test func `a failed migration leaves the store unchanged`() throws {
    // The table that the migration creates exists already, so it fails halfway.
    try Shell.sqlite(folder["log.db"], "CREATE TABLE outcomes (x)")
    #expect(throws: SQLiteLogError.self) { try SQLiteLog(path: folder["log.db"]) }
    let state = try Shell.sqlite(
      folder["log.db"],
      "PRAGMA user_version; SELECT count(*) FROM sqlite_schema WHERE name = 'accepted'")
    #expect(state == "1\n0\n")
    try Shell.sqlite(folder["log.db"], "DROP TABLE outcomes")
    #expect(try SQLiteLog(path: folder["log.db"]).close())
  }

  // MARK: Without a migration

  @Test func `a store of the first release is checked, exported and copied without being written`()
    throws
  {
    let maintenance = SQLiteMaintenance(path: folder["log.db"])
    let before = try Shell.sqlite(folder["log.db"], ".dump")
    #expect(try maintenance.check() == [])
    var lines: [String] = []
    try maintenance.export { lines.append(String(decoding: $0, as: UTF8.self)) }
    #expect(lines.count { $0.contains(#""mutation":"#) } == 3)
    try maintenance.backUp(to: folder["copy.db"])
    #expect(try Shell.sqlite(folder["log.db"], ".dump") == before)
    // An earlier release can use the copy.
    #expect(try Shell.sqlite(folder["copy.db"], "PRAGMA user_version") == "1\n")
    #expect(try Shell.sqlite(folder["copy.db"], ".dump") == before)
    let copy = try ReadableStore(folder["log.db"]).path
    #expect(copy != folder["log.db"])
    #expect(!FileManager.default.fileExists(atPath: copy))
  }

  @Test func `a store is migrated on demand, once`() throws {
    let maintenance = SQLiteMaintenance(path: folder["log.db"])
    let migration = try #require(try maintenance.migration())
    #expect(migration.from == 1 && migration.to > 1)
    #expect(migration.size > 0 && migration.peak > 2 * migration.size && migration.free > 0)
    try maintenance.migrate()
    #expect(try maintenance.migration() == nil)
    let readable = try ReadableStore(folder["log.db"])
    #expect(readable.path == folder["log.db"])
    #expect(
      try SQLiteLog(reading: readable.path).session(Self.demo).entries(after: 0, limit: 9).count
        == 3)
  }

  @Test func `an empty file is not a store that can be read`() throws {
    try Data().write(to: URL(fileURLWithPath: folder["empty.db"]))
    let error = #expect(throws: SQLiteLogError.self) { try ReadableStore(folder["empty.db"]) }
    #expect(error?.code == .unsuitable)
  }

  /// A dump of a store of the first release.
  private static let firstRelease = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE sessions (
      id INTEGER PRIMARY KEY,
      reactor TEXT NOT NULL,
      session TEXT NOT NULL,
      epoch TEXT NOT NULL,
      created INTEGER NOT NULL,
      ended INTEGER NOT NULL DEFAULT 0,
      UNIQUE (reactor, session)
    ) STRICT;
    CREATE TABLE mutations (
      session INTEGER NOT NULL,
      version INTEGER NOT NULL,
      at INTEGER NOT NULL,
      action TEXT,
      global TEXT,
      revision INTEGER,
      mutation TEXT NOT NULL,
      PRIMARY KEY (session, version)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE snapshots (
      session INTEGER NOT NULL,
      version INTEGER NOT NULL,
      state TEXT NOT NULL,
      PRIMARY KEY (session, version)
    ) STRICT;
    CREATE TABLE globals (
      session INTEGER NOT NULL,
      name TEXT NOT NULL,
      revision INTEGER NOT NULL,
      PRIMARY KEY (session, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE removals (
      session INTEGER PRIMARY KEY
    ) STRICT;
    CREATE VIEW log AS
      SELECT sessions.reactor, sessions.session, mutations.version,
        strftime('%Y-%m-%dT%H:%M:%fZ', mutations.at / 1000.0, 'unixepoch') AS at,
        mutations.action, mutations.global, mutations.mutation
      FROM sessions JOIN mutations ON mutations.session = sessions.id;
    INSERT INTO sessions VALUES (1, 'counter', 'demo', 'k3x9q2', 1000, 0);
    INSERT INTO sessions VALUES (3, 'counter', 'gone', '', 1000, 1);
    INSERT INTO mutations VALUES
      (1, 1, 1001, '"increase"', NULL, NULL, '{"change":{"by":1}}'),
      (1, 2, 1002, NULL, 'user', 7, '{"change":{"by":2}}'),
      (1, 3, 1003, '"increase"', NULL, NULL, '{"change":{"by":1}}');
    INSERT INTO snapshots VALUES (1, 2, '{"value":3}');
    INSERT INTO globals VALUES (1, 'user', 7);
    PRAGMA application_id = \(0x7263_7464);
    PRAGMA user_version = 1;
    """
}

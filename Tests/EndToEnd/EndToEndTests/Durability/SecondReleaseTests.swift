import Foundation
import Testing

/// The tools for the change from one release to the next: the check of types, the pause, the migration.
@Suite(.blocking) struct SecondReleaseTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start(release: Int, _ flags: String...) throws -> ReactordProcess {
    try ReactordProcess(
      ["--store", "sqlite:\(folder["log.db"])", "--release", "\(release)"] + flags,
      program: "releases")
  }

  private func run(
    _ words: String..., release: Int = 2, under tracer: [String] = []
  ) throws -> (code: Int32, output: String, error: String) {
    let process = try ReactordProcess.launch(
      words + ["--store", "sqlite:\(folder["log.db"])", "--release", "\(release)"],
      program: "releases", under: tracer)
    guard case .code(let code) = try process.wait() else { return (-1, "", process.standardError) }
    return (code, process.standardOutput, process.standardError)
  }

  private func sqlite(_ statement: String) throws -> String {
    let shell = try ChildProcess("/usr/bin/sqlite3", [folder["log.db"], statement])
    try shell.wait()
    return shell.standardOutput
  }

  /// Writes each kind of data with release 1, which is killed.
  private func write(_ change: String) throws {
    let server = try start(release: 1, "--holds", "1")
    let page = try server.client().get("/v1/reactors/\(change)").json
    let actions = try #require(page["exampleActions"]?.array).map(\.text)
    for id in ["a", "b", "c"] {
      let session = SessionClient(server.client(), "/v1/reactors/\(change)/sessions/\(id)")
      #expect(try session.post("[\(actions[0]),\(actions[0])]").status == 200)
      #expect(try session.post(actions[1]).status == 200)
      #expect(try session.post(actions[2], ["Prefer": "respond-async"]).status == 202)
    }
    server.process.kill()
    try server.process.wait()
  }

  @Test func `the check names each kind of data that the release cannot read`() throws {
    try write("RenamedMember")
    let (code, output, _) = try run("log", "check")
    #expect(code == 4)
    let lines = output.split(separator: "\n")
    #expect(lines.count == 4, "\(output)")
    for (part, count, name, remedy) in [
      ("mutation", 6, "arrived", "upgradeMutation"), ("action", 3, "hold", "upgradeAction"),
      ("timer", 3, "put", "upgradeAction"),
    ] {
      #expect(
        lines.contains {
          $0.hasPrefix("RenamedMember: \(count) × \(part) \"\(name)\"")
            && $0.contains("Later.c is missing")
            && $0.contains(remedy)
        }, "\(output)")
    }
    #expect(lines.last == "3 sessions, 15 values checked")
    #expect(try run("log", "check", release: 1).code == 0)

    let server = try start(release: 2)
    #expect(
      try eventually {
        try server.client().get("/readyz").json["detail"]?.string?.contains("3 kinds") == true
      })
    #expect(try server.client().get("/readyz").status == 200)
    #expect(eventually { server.standardError.contains("stored data was checked") })
  }

  @Test func `a paused service serves reads and executes nothing`() throws {
    try write("RenamedMember")
    _ = try sqlite("UPDATE timers SET due = 1")
    let rows =
      "SELECT count(*) FROM accepted; SELECT count(*) FROM timers; SELECT count(*) FROM mutations"
    let before = try sqlite(rows)
    let server = try start(release: 1, "--paused")
    let session = SessionClient(server.client(), "/v1/reactors/RenamedMember/sessions/a")
    #expect(try session.state().json["values"]?.array?.count == 2)
    for (method, path) in [
      ("POST", session.path + "/actions"), ("PUT", session.path), ("DELETE", session.path),
      ("DELETE", session.path + "/timers/reminder"), ("PUT", "/v1/globals/RenamedMember"),
    ] {
      try expectProblem(try session.client.send(method, path, json: "{}"), 503, "service-paused")
    }
    #expect(eventually { server.standardError.contains("stored data was checked") })
    try server.stop()
    #expect(try sqlite(rows) == before)
  }

  @Test func `a sample is a fixture without the content of dropped members`() throws {
    try write("RenamedMember")
    let (code, output, _) = try run(
      "log", "export", "--sample", "2", "--drop", "/values/*/a", "--drop", "/arrived/a", release: 1)
    #expect(code == 0)
    let lines = try output.split(separator: "\n").map { try JSON(parsing: String($0)) }
    #expect(lines.count { $0["session"] != nil } == 2)
    let expected = lines.filter { $0["expected"] != nil }
    #expect(expected.map { $0["expected"] } == [3, 3])
    #expect(expected.first?["state"] == ["values": [["a": 0], ["a": 0]], "armed": 1])
    #expect(lines.contains { $0["mutation"] == ["arrived": ["a": 0]] })
    #expect(lines.contains { $0["timer"] != nil && $0["action"] == ["put": ["a": 1]] })
    #expect(try run("log", "export", "--drop", "/a").code == 64)
    #expect(try run("log", "export", "--sample", "2", "--drop", "a").code == 64)
  }

  // MARK: The tables of the store

  /// Creates a store of the first release with many sessions.
  private func createFirstRelease() throws {
    _ = try sqlite(
      """
      PRAGMA application_id = 0x72637464; PRAGMA user_version = 1;
      CREATE TABLE sessions (
        id INTEGER PRIMARY KEY, reactor TEXT NOT NULL, session TEXT NOT NULL, epoch TEXT NOT NULL,
        created INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0, UNIQUE (reactor, session)) STRICT;
      CREATE TABLE mutations (
        session INTEGER NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL, action TEXT,
        global TEXT, revision INTEGER, mutation TEXT NOT NULL, PRIMARY KEY (session, version))
        STRICT, WITHOUT ROWID;
      CREATE TABLE snapshots (
        session INTEGER NOT NULL, version INTEGER NOT NULL, state TEXT NOT NULL,
        PRIMARY KEY (session, version)) STRICT;
      CREATE TABLE globals (
        session INTEGER NOT NULL, name TEXT NOT NULL, revision INTEGER NOT NULL,
        PRIMARY KEY (session, name)) STRICT, WITHOUT ROWID;
      CREATE TABLE removals (session INTEGER PRIMARY KEY) STRICT;
      CREATE VIEW log AS SELECT mutations.version FROM mutations;
      INSERT INTO sessions
        SELECT value, 'RenamedMember', 's' || value, 'e' || value, 1000, 0
        FROM generate_series(1, 20000);
      INSERT INTO mutations
        SELECT value, 1, 1001, '{"put":{"a":1}}', NULL, NULL, '{"arrived":{"a":1}}'
        FROM generate_series(1, 20000);
      """)
  }

  @Test
  func `a store of an earlier release is read as it is, and migrated with its peak said first`()
    throws
  {
    try createFirstRelease()
    #expect(try run("log", "check", release: 1).code == 0)
    #expect(try run("log", "verify", release: 1).code == 0)
    #expect(try run("log", "export", "--sample", "3", release: 1).output.contains("s1"))
    #expect(try sqlite("PRAGMA user_version") == "1\n")

    // A full disk has an exit code of its own, and the migration continues later.
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: folder["log.db"])[.size] as? Int)
    let full = try run(
      "log", "migrate", release: 1, under: ["/usr/bin/prlimit", "--fsize=\(size / 4)"])
    #expect(full.code == 75, "\(full)")
    #expect(full.output.contains("needs up to \(size * 22 / 10) meanwhile"), "\(full)")
    #expect(full.error.contains("no space is left to migrate the store"))
    let migrated = try run("log", "migrate", release: 1)
    #expect(migrated.code == 0 && migrated.output.hasSuffix("migrated\n"), "\(migrated)")
    #expect(try run("log", "migrate", release: 1).output == "the store is current\n")
    #expect(
      try sqlite("SELECT count(*) FROM mutations JOIN sessions ON id = mutations.session")
        == "20000\n")
    let server = try start(release: 1)
    let last = SessionClient(server.client(), "/v1/reactors/RenamedMember/sessions/s20000")
    #expect(try last.state().json["values"] == [["a": 1]])
  }

  @Test func `a migration at the start is logged`() throws {
    try createFirstRelease()
    let server = try start(release: 1)
    // The log arrives on another pipe than the line with the address.
    #expect(eventually { server.standardError.contains("store migrated") })
    #expect(server.standardError.contains("migrating the store"))
  }
}

import Foundation
import Testing

/// `reactord log …`, beside a running service.
@Suite(.blocking) struct StoreTaskTests {
  private let folder: TemporaryFolder
  private let server: ReactordProcess
  private let session: SessionClient

  init() throws {
    folder = try TemporaryFolder()
    server = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
    session = server.session(of: "counter")
    for _ in 1...2 {
      try session.post(
        "[" + Array(repeating: #""increase""#, count: 750).joined(separator: ",") + "]")
    }
  }

  private func run(_ words: String..., store: String = "log.db") throws -> (Int32, String) {
    let process = try ReactordProcess.launch(
      ["log"] + words + ["--store", "sqlite:\(folder[store])"])
    guard case .code(let code) = try process.wait() else { return (-1, "") }
    return (code, process.standardOutput)
  }

  /// Changes the database with SQLite's own shell.
  private func change(_ statement: String) throws {
    try ChildProcess("/usr/bin/sqlite3", [folder["log.db"], statement]).wait()
  }

  @Test func `an intact store is verified while it is served`() throws {
    let (code, text) = try run("verify")
    #expect(code == 0)
    #expect(text.hasPrefix("1 sessions, 1500 mutations, "))
  }

  @Test func `a mutation that differs from the folded one is found`() throws {
    // Stop the service first: the snapshot that verifies the fold is written after the response,
    // and before the end.
    try server.stop()
    // Remove the checksums, as in a store of an earlier release.
    try change("UPDATE mutations SET checksum = NULL")
    try change("UPDATE mutations SET mutation = '{\"change\":{\"by\":7}}' WHERE version = 3")
    let (code, text) = try run("verify")
    #expect(code == 65)
    #expect(text.contains("is not the fold of the log"))
  }

  @Test func `a mutation that does not match its checksum is found`() throws {
    try server.stop()
    try change("UPDATE mutations SET mutation = '{\"change\":{\"by\":7}}' WHERE version = 3")
    let (code, text) = try run("verify")
    #expect(code == 65)
    #expect(text.contains("counter/"))
    #expect(text.contains("version 3 does not match its checksum"))
  }

  @Test(arguments: [
    ("DELETE FROM mutations WHERE version = 3", "version 3 is missing"),
    (
      """
      UPDATE mutations SET version = -3 WHERE version = 3;
      UPDATE mutations SET version = 3 WHERE version = 4;
      UPDATE mutations SET version = 4 WHERE version = -3;
      """, "version 3 does not match its checksum"
    ),
  ])
  func `a mutation that was removed or exchanged is found, and not folded`(
    statement: String, finding: String
  ) throws {
    try server.stop()
    try change(statement)
    let (code, text) = try run("verify")
    #expect(code == 65)
    #expect(text.contains(finding), "\(text)")
    let again = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
    let damaged = SessionClient(again.client(), session.path)
    #expect(try damaged.state("?version=2").json == ["value": 2])
    try expectProblem(try damaged.state("?version=5"), 500, "effect-failed")
  }

  @Test func `a copy serves what the store has`() throws {
    #expect(try run("backup", "--to", folder["copy.db"]).0 == 0)
    let copy = try ReactordProcess("--store", "sqlite:\(folder["copy.db"])")
    #expect(
      try SessionClient(copy.client(), session.path).state().json == ["value": 1500])
  }

  @Test func `an export contains every mutation`() throws {
    let (code, text) = try run("export")
    #expect(code == 0)
    let lines = try text.split(separator: "\n").map { try JSON(parsing: String($0)) }
    #expect(lines.compactMap { $0["version"]?.int } == Array(1...1500))
  }

  @Test(arguments: [#"{"version":1}"#, "none"])
  func `an import of invalid lines ends with 65 and names the line`(_ line: String) throws {
    let process = try ReactordProcess.launch(
      ["log", "import", "--store", "sqlite:\(folder["new.db"])"],
      under: ["/bin/sh", "-c", #"echo "$0" | exec "$@""#, line])
    #expect(try process.wait() == .code(65))
    #expect(process.standardError.contains("line 1"))
  }

  @Test func `a store in use is neither compacted nor served twice`() throws {
    #expect(try run("compact").0 == 78)
    let second = try ReactordProcess.launch(
      [
        "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:\(folder["log.db"])",
        "--start-wait", "0",
      ], program: "adjustable")
    #expect(try second.wait() == .code(78))
    #expect(second.standardError.split(separator: "\n").count == 1)
  }
}

import Foundation
import PostgresServers
import Testing

/// The results of `reactord log verify`, each with its exit code and its sentence.
@Suite(.blocking) struct StoreVerificationTests {
  private let folder: TemporaryFolder
  private var store: String { "sqlite:\(folder["log.db"])" }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Runs a service that hosts a reactor, and executes actions in one of its sessions.
  private func serve(
    _ reactor: String, _ actions: String..., program: String, flags: [String] = []
  ) throws -> ReactordProcess {
    let server = try ReactordProcess(["--store", store] + flags, program: program)
    let session = server.session(of: reactor)
    for action in actions { try session.post(action) }
    return server
  }

  private func verify(program: String = "reactord") throws -> (
    code: Int32, text: String, error: String
  ) {
    let process = try ReactordProcess.launch(["log", "verify", "--store", store], program: program)
    guard case .code(let code) = try process.wait() else { return (-1, "", "") }
    return (code, process.standardOutput, process.standardError)
  }

  @Test func `a sound store ends with 0`() throws {
    try serve("counter", #""increase""#, program: "reactord").stop()
    let result = try verify()
    #expect(result.code == 0)
    #expect(result.text == "1 sessions, 1 mutations, 0 snapshots verified\nthe store is sound\n")
  }

  @Test func `a database is verified, checked and sampled`() throws {
    let store = try ReactordProcess.newDatabase()
    let server = try ReactordProcess(store, program: "reactord")
    let session = server.session(of: "counter")
    for _ in 1...3 { try session.post(#""increase""#) }
    func execute(_ words: String...) throws -> (code: Int32, text: String, error: String) {
      let process = try ReactordProcess.launch(["log"] + words + store)
      guard case .code(let code) = try process.wait() else { return (-1, "", "") }
      return (code, process.standardOutput, process.standardError)
    }
    // While the service runs.
    var result = try execute("verify")
    #expect(result.code == 0)
    #expect(result.text == "1 sessions, 3 mutations, 0 snapshots verified\nthe store is sound\n")
    #expect(try execute("check").text.contains("1 sessions"))
    #expect(try execute("export", "--sample", "1").text.contains(#"{"session":"counter/"#))
    let table = "\(try #require(store.last)).mutations"
    try PostgresServer.shared.get().query(
      "update \(table) set mutation = mutation || ' '::bytea where version = 2")
    result = try execute("verify")
    #expect(result.code == 65)
    #expect(result.text.contains("version 2 does not match its checksum"))
    try PostgresServer.shared.get().query("update \(table) set mutation = '7', checksum = 0")
    #expect(try execute("check").code == 4)
    try server.stop()
    let missing = try ReactordProcess.launch(
      ["log", "verify"] + store.dropLast() + ["no_such_store"])
    #expect(try missing.wait() == .code(78))
    #expect(missing.standardError.contains("has no store in the schema"))
  }

  @Test func `a reactor that is not pure is named, with the version and both values`() throws {
    try serve("dice", #""roll""#, #""roll""#, program: "faulty").stop()
    let result = try verify(program: "faulty")
    #expect(result.code == 3)
    #expect(result.text.contains("dice/"))
    #expect(
      result.error.contains("the store is sound, and the reactor \"dice\" is not pure: dice/"))
    #expect(result.error.contains("version 1: reduce is not pure"))
    #expect(result.error.contains("at \"/number\" "))
  }

  @Test func `reactors that the program does not host are not replayed`() throws {
    try serve("dice", #""roll""#, program: "faulty").stop()
    let result = try verify()
    #expect(result.code == 5)
    #expect(result.text.contains("dice: 1 sessions are not replayed"))
    #expect(result.error.contains("the store is sound, but not all of it was replayed"))
  }

  @Test func `a store that this release cannot read is not damaged, unless it is`() throws {
    // The other program hosts another reactor of the same name.
    try serve("counter", #"{"add":3}"#, program: "faulty").stop()
    let result = try verify()
    #expect(result.code == 4)
    #expect(result.text.contains("counter/"))
    #expect(result.text.contains("version: 1"))
    #expect(result.error.contains("this release cannot read 1 of its sessions"))
    try ChildProcess(
      "/usr/bin/sqlite3", [folder["log.db"], "UPDATE mutations SET mutation = '{\"add\":4}'"]
    ).wait()
    #expect(try verify().code == 65)
  }

  @Test func `the service logs the first difference and counts all`() throws {
    let server = try serve(
      "dice", #""roll""#, #""roll""#, program: "faulty")
    let metrics = try server.client().get("/metrics").text
    #expect(metrics.contains(#"reactord_impure_mutations_total{reactor="dice"} 2"#))
    try server.stop()
    let lines = server.standardError.split(separator: "\n").filter {
      $0.contains("a second fold of a mutation differs")
    }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("version=1") == true)
    #expect(lines.first?.contains("pointer=/number") == true)
  }
}

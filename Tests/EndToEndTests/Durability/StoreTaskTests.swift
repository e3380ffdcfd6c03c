import Foundation
import Testing

/// `reactord log …`, beside a service that goes on.
@Suite(.blocking) struct StoreTaskTests {
  private let folder: TemporaryFolder
  private let server: ReactordProcess
  private let session: SessionClient

  init() throws {
    folder = try TemporaryFolder()
    server = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
    session = server.session(of: "counter")
    try session.post(
      "[" + Array(repeating: #""increase""#, count: 1500).joined(separator: ",") + "]")
  }

  private func run(_ words: String..., store: String = "log.db") throws -> (Int32, String) {
    let process = try ReactordProcess.launch(
      ["log"] + words + ["--store", "sqlite:\(folder[store])"])
    guard case .code(let code) = try process.wait() else { return (-1, "") }
    return (code, process.standardOutput)
  }

  @Test func `a sound store is verified while it is served`() throws {
    let (code, text) = try run("verify")
    #expect(code == 0)
    #expect(text.hasPrefix("1 sessions, 1500 mutations, "))
  }

  @Test func `a mutation that is not what was folded is found`() throws {
    // The snapshot that the fold is compared with is taken after the answer, and before the end.
    try server.stop()
    let change = "UPDATE mutations SET mutation = '{\"change\":{\"by\":7}}' WHERE version = 3"
    try ChildProcess("/usr/bin/sqlite3", [folder["log.db"], change]).wait()
    let (code, text) = try run("verify")
    #expect(code == 65)
    #expect(text.contains("is not the fold of the log"))
  }

  @Test func `a copy serves what the store has`() throws {
    #expect(try run("backup", "--to", folder["copy.db"]).0 == 0)
    let copy = try ReactordProcess("--store", "sqlite:\(folder["copy.db"])")
    #expect(
      try SessionClient(copy.client(), session.path).state().json == ["value": 1500])
  }

  @Test func `an export has every mutation`() throws {
    let (code, text) = try run("export")
    #expect(code == 0)
    let lines = try text.split(separator: "\n").map { try JSON(parsing: String($0)) }
    #expect(lines.compactMap { $0["version"]?.int } == Array(1...1500))
  }

  @Test func `a store that is served is neither compacted nor served twice`() throws {
    #expect(try run("compact").0 == 78)
    let second = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0", "--store", "sqlite:\(folder["log.db"])"])
    #expect(try second.wait() == .code(78))
    #expect(second.standardError.split(separator: "\n").count == 1)
  }
}

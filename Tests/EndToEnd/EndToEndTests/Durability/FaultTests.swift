import Foundation
import Testing

/// A store that fails for a while: rejected actions did not happen, and no restart is needed.
@Suite(.blocking) struct FaultTests {
  private let folder: TemporaryFolder
  private let server: ReactordProcess
  private let session: SessionClient

  init() throws {
    folder = try TemporaryFolder()
    server = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
    session = server.session(of: "counter")
  }

  @Test func `a full disk is a problem until there is room`() throws {
    #expect(try session.post(#""increase""#).status == 200)
    try limitFiles(to: "\(size("log.db-wal"))")
    let rejected = try session.post(#""increase""#)
    try expectProblem(rejected, 507, "storage-full")
    #expect(try session.state().json == ["value": 1])
    try expectProblem(
      SessionClient(server.client(), session.siblings + "/other").put(), 507, "storage-full")

    try limitFiles(to: "unlimited")
    #expect(try session.post(#""increase""#).json == ["value": 2])
    try expectDurable(2)
  }

  @Test func `while the disk fills, each action is stored or rejected`() throws {
    // SQLite creates the file with the first write.
    #expect(try session.post(#"{"add":0}"#).status == 200)
    try limitFiles(to: "\(size("log.db-wal") + 200_000)")
    var kept = 0
    for number in 1...1000 {
      let response = try session.post(#"{"add":\#(number)}"#)
      guard response.status == 200 else {
        try expectProblem(response, 507, "storage-full")
        break
      }
      kept = number
    }
    #expect((1..<1000).contains(kept))
    try limitFiles(to: "unlimited")
    try expectDurable(kept * (kept + 1) / 2)
  }

  @Test func `a store that another process has locked is a problem until it is unlocked`() throws {
    #expect(try session.post(#""increase""#).status == 200)
    let locking = try ChildProcess(
      "/usr/bin/sqlite3",
      [
        // The service can be writing at this moment. The shell ends with the folder of a test that fails.
        "-cmd", ".timeout 300000", folder["log.db"], "BEGIN IMMEDIATE",
        ".shell echo locked; while [ -d \(folder.path) -a ! -e \(folder["go"]) ]; do sleep 0.02; done",
      ])
    #expect(locking.firstLine() == "locked")
    let rejected = try session.post(#""increase""#)
    try expectProblem(rejected, 503, "unavailable")
    #expect(rejected["Retry-After"] != nil)
    #expect(try session.state().json == ["value": 1])

    try "".write(toFile: folder["go"], atomically: true, encoding: .utf8)
    try locking.wait()
    #expect(try session.post(#""increase""#).json == ["value": 2])
    try expectDurable(2)
  }

  /// Limits the size of the service's files, which has the effect of a full disk.
  private func limitFiles(to size: String) throws {
    let limiting = try ChildProcess(
      "/usr/bin/prlimit", ["--pid", "\(server.process.id)", "--fsize=\(size):unlimited"])
    #expect(try limiting.wait() == .code(0))
  }

  private func size(_ name: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: folder[name])
    return attributes?[.size] as? Int ?? 0
  }

  /// Checks that a restarted service has the same state.
  private func expectDurable(_ value: Int) throws {
    server.process.kill()
    try server.process.wait()
    let again = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
    let state = try SessionClient(again.client(), session.path).state()
    #expect(try state.json == ["value": .number(Double(value))])
  }
}

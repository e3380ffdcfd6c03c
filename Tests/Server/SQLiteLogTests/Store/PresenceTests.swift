import Foundation
import ReactorLog
import SQLiteLog
import Telemetry
import Testing
import TestSupport

/// Stores whose files are deleted or replaced while they are in use.
@Suite struct PresenceTests {
  private let folder: TemporaryFolder
  private let log: SQLiteLog
  private let session: any SessionLog
  private let lines: AsyncStream<String>

  init() async throws {
    folder = try TemporaryFolder()
    let (lines, output) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    log = try SQLiteLog(
      path: folder["log.db"],
      logger: Logger(level: .info) { _, message, _ in output.yield(message) })
    session = log.session(SessionKey(reactor: "counter", id: "demo"))
    try await session.append(1...3, to: "one")
  }

  private func expectWritesToFail(at version: Int) async {
    for _ in 1...2 {
      let error = await #expect(throws: LogError.self) {
        try await session.append(version...version, to: "one")
      }
      guard case .unavailable = error else {
        Issue.record("unexpected: \(String(describing: error))")
        return
      }
    }
    #expect(log.failure != nil)
    var logged = lines.makeAsyncIterator()
    #expect(await logged.next() == "store cannot be written")
  }

  @Test func `writes to a healthy store succeed`() async throws {
    try await session.append(4...4, to: "one")
    #expect(log.failure == nil)
    #expect(log.close())
  }

  @Test(arguments: ["log.db", "log.db-wal"])
  func `writes to a deleted file fail`(_ name: String) async throws {
    try FileManager.default.removeItem(atPath: folder[name])
    await expectWritesToFail(at: 4)
    log.close()
  }

  @Test func `a deleted database is reported before anything is written`() throws {
    try FileManager.default.removeItem(atPath: folder["log.db"])
    guard case .unavailable(let reason) = log.failure else {
      Issue.record("unexpected: \(String(describing: log.failure))")
      return
    }
    #expect(reason.contains("deleted or replaced"))
    log.close()
  }

  @Test func `writes to a replaced database fail, and the replacement is unchanged`() async throws {
    try SQLiteMaintenance(path: folder["log.db"]).backUp(to: folder["copy.db"])
    let copy = FileManager.default.contents(atPath: folder["copy.db"])
    try Shell.run("mv", folder["copy.db"], folder["log.db"])
    await expectWritesToFail(at: 4)
    log.close()
    #expect(FileManager.default.contents(atPath: folder["log.db"]) == copy)
  }

  @Test func `a restart without the deleted database is rejected`() async throws {
    try FileManager.default.removeItem(atPath: folder["log.db"])
    await expectWritesToFail(at: 4)
    log.close()
    let error = #expect(throws: SQLiteLogError.self) { try SQLiteLog(path: folder["log.db"]) }
    #expect(error?.code == .unsuitable)
  }

  @Test func `writes succeed again when the file is back`() async throws {
    try Shell.run("mv", folder["log.db"], folder["moved.db"])
    await expectWritesToFail(at: 4)
    try Shell.run("mv", folder["moved.db"], folder["log.db"])
    try await session.append(4...4, to: "one")
    #expect(try session.stored?.version == 4)
    #expect(log.failure == nil)
    #expect(log.close())
  }
}

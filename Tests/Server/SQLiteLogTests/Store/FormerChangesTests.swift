import ReactorLog
import Telemetry
import Testing
import TestSupport

@testable import SQLiteLog

/// The changes of a store whose changes are not retained any more.
@Suite struct FormerChangesTests {
  private let folder: TemporaryFolder
  private let file: StoreFile

  /// Creates a store with 5,000 retained changes.
  init() throws {
    folder = try TemporaryFolder()
    file = StoreFile(path: folder["log.db"])
    try file.prepare()
    _ = try file.prepareFeed(isKept: true, logger: .silent)
    try file.open(for: .writing).execute(
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
      INSERT INTO changes SELECT n, 2, 'counter', 'demo', 'one', n, 0, NULL, 0, NULL FROM numbers
      """)
  }

  private func count() throws -> Int64 {
    try file.open(for: .reading).integer("SELECT count(*) FROM changes")
  }

  @Test func `they are deleted a few with each group`() throws {
    #expect(try file.prepareFeed(isKept: false, logger: .silent) == nil)
    #expect(try count() == 5000)
    let writer = try LogWriter(file, StoreRules(), afterFailure: false)
    for left in [3000, 1000, 0] {
      #expect(!writer.isIdle)
      #expect(writer.write([]).failure == nil)
      #expect(try count() == left)
    }
    repeat { _ = writer.write([]) } while !writer.isIdle
  }

  @Test func `maintenance of a store whose changes are retained deletes none`() throws {
    try SQLiteMaintenance(path: file.path).compact(to: RetentionRules(), schemas: [:])
    #expect(try count() == 5000)
  }

  @Test func `opening a store without a retention deletes them`() async throws {
    let log = try SQLiteLog(path: file.path)
    #expect(log.changes == nil)
    for _ in 0..<5 { try await log.drain() }
    #expect(log.close())
    #expect(try count() == 0)
  }
}

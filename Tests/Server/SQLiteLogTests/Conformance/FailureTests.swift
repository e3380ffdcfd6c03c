import ReactorLog
import SQLiteLog
import Testing
import TestSupport

/// Stored failures, in the logs that store them.
struct FailureTests {
  private func failure(_ number: Int, of session: String = "demo") -> StoredFailure {
    StoredFailure(
      id: "\(session)-\(number)", session: session, at: Timestamp(milliseconds: Int64(number)),
      action: Array(#"{"add":1}"#.utf8), principal: Array(#"{"id":"ada","claims":{}}"#.utf8),
      context: number % 2 == 0 ? nil : Array(#"{"id":"r-1"}"#.utf8),
      failure: ActionFailure(
        index: nil, reason: .init(status: 409, title: "Not \"now\"", detail: nil)))
  }

  private func failures(
    in log: any MutationLog, of reactor: String = "counter"
  ) throws -> [StoredFailure] {
    try log.failures(of: reactor)
  }

  @Test(arguments: LogKind.allCases)
  func `failures are listed, the latest first, until they are removed`(kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(
      LogBatch([LogEntry(counted: 1)], failures: [failure(1), failure(2)]), to: "one",
      expecting: 0)
    try await session.append(LogBatch(failures: [failure(3)]), to: "one", expecting: 1)
    #expect(try failures(in: log.log) == [3, 2, 1].map { failure($0) })
    try await session.append(LogBatch(settled: ["demo-2"]), to: "one", expecting: 1)
    #expect(try failures(in: log.log) == [3, 1].map { failure($0) })
    #expect(try failures(in: log.log, of: "other").isEmpty)
    // A fork has none, and the end of a session deletes those of the session only.
    try await log.log.fork("demo", at: 1, to: "fork", epoch: "two")
    #expect(try failures(in: log.log).count == 2)
    try await log.session("fork").append(
      LogBatch(failures: [failure(4, of: "fork")]), to: "two", expecting: 1)
    try await session.end()
    #expect(try failures(in: log.log) == [failure(4, of: "fork")])
  }

  @Test(arguments: LogKind.allCases)
  func `a reactor has at most 100 failures`(kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    for start in stride(from: 1, to: 200, by: 40) {
      let batch = LogBatch(failures: (start..<start + 40).map { failure($0) })
      try await log.session().append(batch, to: "one", expecting: 0)
    }
    #expect(try failures(in: log.log) == (101...200).reversed().map { failure($0) })
  }

  @Test func `failures are in a store that is opened again, and in an import of its export`()
    async throws
  {
    let folder = try TemporaryFolder()
    let first = try SQLiteLog(path: folder["log.db"])
    try await first.session(SessionKey(reactor: "counter", id: "demo")).append(
      LogBatch([LogEntry(counted: 1)], failures: [failure(1), failure(2)]), to: "one",
      expecting: 0)
    first.close()
    let second = try SQLiteLog(path: folder["log.db"])
    #expect(try failures(in: second) == [failure(2), failure(1)])
    second.close()
    var lines: [[UInt8]] = []
    try SQLiteMaintenance(path: folder["log.db"]).export { lines.append($0) }
    _ = try SQLiteMaintenance(path: folder["copy.db"]).import {
      lines.isEmpty ? nil : lines.removeFirst()
    }
    let copy = try SQLiteLog(path: folder["copy.db"])
    #expect(try failures(in: copy) == [failure(2), failure(1)])
    copy.close()
    #expect(try SQLiteMaintenance(path: folder["copy.db"]).check().isEmpty)
  }
}

import LogTestSupport
import ReactorLog
import SQLiteLog
import Testing

/// The retention of outcomes, and the count of starts.
@Suite struct OutcomeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let key = SessionKey(reactor: "counter", id: "demo")

  private func outcomes(_ count: Int, at: Timestamp = .now) -> LogBatch {
    LogBatch(
      outcomes: (0..<count).map {
        StoredOutcome(
          key: IdempotencyKey("\(at.milliseconds) \($0)", for: []), at: at, version: 0, failure: nil
        )
      })
  }

  private func count() throws -> String {
    try Shell.sqlite(folder["log.db"], "SELECT count(*) FROM outcomes")
  }

  @Test func `any number of expired outcomes is deleted`() async throws {
    let log = try SQLiteLog(path: folder["log.db"], outcomeRetention: .seconds(3600))
    let session = log.session(Self.key)
    let old = Timestamp(milliseconds: Timestamp.now.milliseconds - 3_600_001)
    try await session.append(outcomes(1700, at: old), to: "one", expecting: 0)
    try await session.append(outcomes(10), to: "one", expecting: 0)
    log.close()
    let again = try SQLiteLog(path: folder["log.db"], outcomeRetention: .seconds(3600))
    // Each write deletes some of them.
    for _ in 0..<6 { try await again.drain() }
    #expect(try count() == "10\n")
    #expect(again.close())
  }

  @Test func `an outcome of the future is retained, because a clock was set back`() async throws {
    let log = try SQLiteLog(path: folder["log.db"], outcomeRetention: .seconds(1))
    let future = Timestamp(milliseconds: Timestamp.now.milliseconds + 86_400_000)
    try await log.session(Self.key).append(outcomes(5, at: future), to: "one", expecting: 0)
    for _ in 0..<3 { try await log.drain() }
    #expect(try count() == "5\n")
    #expect(log.close())
  }

  @Test func `an orderly close resets the number of starts of accepted actions`() async throws {
    let action = AcceptedAction(
      id: .init(request: 1, place: 0), action: Array("1".utf8), isInArray: false, key: nil,
      at: .now,
      runs: 7)
    let log = try SQLiteLog(path: folder["log.db"])
    try await log.session(Self.key).append(
      LogBatch(accepted: [action]), to: "one", expecting: 0)
    log.close()
    let again = try SQLiteLog(path: folder["log.db"])
    #expect(try again.session(Self.key).acceptedActions().map(\.runs) == [0])
    again.close()
  }
}

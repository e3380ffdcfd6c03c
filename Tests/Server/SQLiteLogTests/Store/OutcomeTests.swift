import LogTestSupport
import ReactorLog
import Testing
import TestSupport

@testable import SQLiteLog

/// The retention of outcomes, and the count of starts.
@Suite struct OutcomeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let key = SessionKey(reactor: "counter", id: "demo")

  private func outcomes(
    _ count: Int, at: Timestamp = .now, of principal: String? = nil
  ) -> LogBatch {
    LogBatch(
      outcomes: (0..<count).map {
        StoredOutcome(
          key: IdempotencyKey("\(at.milliseconds) \($0)", of: principal, for: []), at: at,
          version: 0,
          failure: nil)
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

  @Test func `the keys of one session do not displace those of others`() throws {
    let file = StoreFile(path: folder["log.db"])
    try file.prepare()
    let rules = StoreRules(outcomeRetention: .seconds(3600), outcomeBound: 100)
    var writer = try LogWriter(file, rules, afterFailure: false)
    let now = Timestamp.now.milliseconds
    func append(_ count: Int, to id: String, at: Int64) throws {
      let key = SessionKey(reactor: "counter", id: id)
      let batch = outcomes(count, at: Timestamp(milliseconds: now + at))
      #expect(
        try writer.write(.append(key, batch, epoch: "one", version: 0)) == [.written])
    }
    func counts() throws -> String {
      repeat { _ = try writer.write(.maintenance) } while !writer.isIdle
      return try Shell.sqlite(
        folder["log.db"], "SELECT count(*) FROM outcomes GROUP BY session ORDER BY min(at)")
    }
    // The oldest outcomes are those of two sessions with few of them.
    try append(10, to: "one", at: 0)
    try append(20, to: "two", at: 1)
    for step in 2..<10 { try append(100, to: "large", at: Int64(step)) }
    #expect(try counts() == "10\n20\n70\n")
    // A further process counts them again.
    writer = try LogWriter(file, rules, afterFailure: false)
    try append(50, to: "large", at: 20)
    try append(5, to: "one", at: 21)
    #expect(try counts() == "15\n20\n65\n")
    // The same keys replace their outcomes.
    try append(5, to: "one", at: 21)
    #expect(try counts() == "15\n20\n65\n")
    // Sessions with equally many outcomes pay with their oldest ones.
    for id in 0..<200 { try append(1, to: "\(id)", at: 30 + Int64(id)) }
    let total = try counts().split(separator: "\n").reduce(0) { $0 + (Int($1) ?? 0) }
    #expect(total == 100)
  }

  @Test func `the keys of one principal in many sessions do not displace those of others`() throws {
    let file = StoreFile(path: folder["log.db"])
    try file.prepare()
    let rules = StoreRules(outcomeRetention: .seconds(3600), outcomeBound: 100)
    let writer = try LogWriter(file, rules, afterFailure: false)
    let now = Timestamp.now.milliseconds
    func append(_ count: Int, to id: String, at: Int64, of principal: String) throws {
      let batch = outcomes(count, at: Timestamp(milliseconds: now + at), of: principal)
      let key = SessionKey(reactor: "counter", id: id)
      #expect(
        try writer.write(.append(key, batch, epoch: "one", version: 0)) == [.written])
    }
    // The oldest outcomes, and more of them in a session than the others have.
    try append(20, to: "own", at: 0, of: "ada")
    for id in 0..<300 { try append(1, to: "\(id)", at: 1 + Int64(id), of: "greedy") }
    repeat { _ = try writer.write(.maintenance) } while !writer.isIdle
    let counts = try Shell.sqlite(
      folder["log.db"],
      "SELECT count(*) FROM outcomes GROUP BY instr(key, 'ada') > 0 ORDER BY count(*)")
    #expect(counts == "20\n80\n")
  }

  @Test func `counts are exact after transactions that were rolled back`() {
    var counts = OutcomeCounts()
    counts.adjust(.history(1), by: 3)
    counts.didCommit()
    counts.adjust(.history(1), by: -2)
    counts.adjust(.history(2), by: 7)
    #expect(!counts.hasLargeShare(.history(1)))
    counts.didRollBack()
    #expect(counts.total == 3)
    #expect(counts.hasLargeShare(.history(1)))
    #expect(!counts.hasLargeShare(.history(2)))
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

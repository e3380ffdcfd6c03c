import LogTestSupport
@testable import ReactorLog
import Shares
import Synchronization
import Testing

/// The bound of the bytes of histories in memory.
struct MemoryBudgetTests {
  /// Much larger than what is counted for a session beside its entries.
  private static let mutation = [UInt8](repeating: UInt8(ascii: "1"), count: 100_000)
  /// The bytes of one of the entries.
  private static let entry = LogEntry(version: 1, at: .now, action: nil, mutation: mutation)
    .byteCount
  private let log = MemoryLog(ledger: Ledger(memory: 72 * entry))

  private func key(_ id: String) -> SessionKey { SessionKey(reactor: "counter", id: id) }

  private func fork(to id: String, at version: Int = 10) async throws(LogError) {
    let cursor = Cursor(epoch: "first", version: version)
    try await log.fork(key("origin"), at: cursor, to: key(id), epoch: "fork")
  }

  private func isFull(_ result: Result<Void, LogError>?) -> Bool {
    if case .failure(.full) = result { true } else { false }
  }

  init() {
    let entries = (1...10).map {
      LogEntry(version: $0, at: .now, action: nil, mutation: Self.mutation)
    }
    log.session(key("origin")).append(LogBatch(entries), to: "first", expecting: 0) { _ in }
  }

  @Test func `forks beyond the budget fail, and the end of one makes room`() async throws {
    try await fork(to: "a")
    try await fork(to: "b")
    await #expect(throws: LogError.full) { try await fork(to: "c") }
    #expect(
      try log.sessions(of: "counter", after: nil, limit: 9).map(\.id) == ["a", "b", "origin"])
    try await fork(to: "d", at: 5)
    await #expect(throws: LogError.full) { try await fork(to: "c", at: 1) }
    try await log.session(key("a")).end()
    try await fork(to: "c")
    await #expect(throws: LogError.full) { try await fork(to: "e", at: 1) }
  }

  @Test func `forks leave half of the budget to writes`() async throws {
    await #expect(throws: LogError.full) {
      while true { try await fork(to: "fork-\(Int.random(in: 0..<(.max)))") }
    }
    try #require(append(30, to: "other", after: 0)).get()
    await #expect(throws: LogError.full) { try await fork(to: "c", at: 1) }
  }

  @Test func `a fork to an existing id is not counted`() async throws {
    try await fork(to: "a")
    for _ in 0..<10 {
      await #expect(throws: LogError.conflict) { try await fork(to: "a") }
    }
    try await fork(to: "b")
  }

  private func append(_ count: Int, to id: String, after version: Int) -> Result<Void, LogError>? {
    let entries = (1...count).map {
      LogEntry(version: version + $0, at: .now, action: nil, mutation: Self.mutation)
    }
    let result = Mutex<Result<Void, LogError>?>(nil)
    log.session(key(id)).append(LogBatch(entries), to: "first", expecting: version) { outcome in
      result.withLock { $0 = outcome }
    }
    return result.withLock { $0 }
  }

  @Test func `beyond the budget a session retains what its snapshot does not replace`() throws {
    try #require(append(55, to: "origin", after: 10)).get()
    // The snapshot is smaller than one entry.
    log.session(key("origin")).save(
      Snapshot(version: 63, state: Array("63".utf8)), of: "first")
    try #require(append(10, to: "origin", after: 65)).get()
    let loaded = try log.session(key("origin")).load(schema: nil)
    #expect(loaded.snapshot?.version == 63)
    #expect(loaded.entries.map(\.version) == Array(64...75))
    #expect(try log.session(key("origin")).entries(after: 0, limit: 99).count == 12)
  }

  @Test func `a write beyond the budget fails, changes nothing, and succeeds when there is room`()
    async throws
  {
    #expect(isFull(append(65, to: "origin", after: 10)))
    #expect(isFull(append(65, to: "other", after: 0)))
    #expect(try log.session(key("origin")).load(schema: nil).entries.count == 10)
    try await log.session(key("origin")).end()
    try #require(append(65, to: "other", after: 0)).get()
  }

  @Test func `parameters, timers, accepted actions, outcomes and empty sessions count`()
    async throws
  {
    let ledger = Ledger(memory: 100_000)
    let log = MemoryLog(outcomeRetention: .seconds(1), ledger: ledger)
    func create(_ id: String, _ parameters: [UInt8]?) async throws(LogError) {
      try await log.session(key(id)).create(epoch: "e", parameters: parameters)
    }
    let large = [UInt8](repeating: UInt8(ascii: "1"), count: 60_000)
    try await create("a", large)
    await #expect(throws: LogError.full) { try await create("b", large) }
    try await log.session(key("a")).end()
    try await create("b", large)
    try await log.session(key("b")).end()
    let empty = ledger.used(.histories)

    let session = log.session(key("c"))
    func append(_ batch: LogBatch) { session.append(batch, to: "e", expecting: 0) { _ in } }
    func outcome(at time: Int64) -> StoredOutcome {
      StoredOutcome(
        key: IdempotencyKey("\(time)", for: []), at: Timestamp(milliseconds: time), version: 0,
        failure: nil)
    }
    let timer = StoredTimer(id: "t", due: .now, action: Array(large.prefix(10_000)))
    let action = AcceptedAction(
      id: .init(request: 1, place: 0), action: Array(large.prefix(20_000)), isInArray: false,
      key: nil, principal: nil, at: .now)
    var batch = LogBatch([])
    (batch.timers, batch.accepted, batch.outcomes) = (
      [StoredTimerChange(id: "t", timer: timer)], [action], [outcome(at: 0)]
    )
    append(batch)
    #expect(ledger.used(.histories) > empty + 30_000)
    append(batch)
    batch = LogBatch([])
    (batch.timers, batch.finished, batch.outcomes) = (
      [StoredTimerChange(id: "t", timer: nil)], [action.id], [outcome(at: 5_000)]
    )
    append(batch)
    #expect(ledger.used(.histories) < empty + 2_000)
    try await session.end()
    let ended = ledger.used(.histories)
    #expect(ended < empty + 1_000)

    var count = 0
    await #expect(throws: LogError.full) {
      while true {
        try await create("empty-\(count)", nil)
        count += 1
      }
    }
    #expect(count < 200)
    await #expect(throws: LogError.full) { try await create("another", nil) }
    // A session that exists can be created again.
    try await create("a", nil)
  }
}

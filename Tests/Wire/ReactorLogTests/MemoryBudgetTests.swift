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

  private func fork(to id: String, at version: Int = 10) -> Result<Void, LogError>? {
    let result = Mutex<Result<Void, LogError>?>(nil)
    let cursor = Cursor(epoch: "first", version: version)
    log.fork(key("origin"), at: cursor, to: key(id), epoch: "fork", parameters: nil) { outcome in
      result.withLock { $0 = outcome }
    }
    return result.withLock { $0 }
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

  @Test func `forks beyond the budget fail, and the end of one makes room`() throws {
    try #require(fork(to: "a")).get()
    try #require(fork(to: "b")).get()
    #expect(isFull(fork(to: "c")))
    #expect(
      try log.sessions(of: "counter", after: nil, limit: 9).map(\.id) == ["a", "b", "origin"])
    try #require(fork(to: "d", at: 5)).get()
    #expect(isFull(fork(to: "c", at: 1)))
    log.session(key("a")).end { _ in }
    try #require(fork(to: "c")).get()
    #expect(isFull(fork(to: "e", at: 1)))
  }

  @Test func `forks leave half of the budget to writes`() throws {
    while case .success? = fork(to: "fork-\(Int.random(in: 0..<(.max)))") {}
    try #require(append(30, to: "other", after: 0)).get()
    #expect(isFull(fork(to: "c", at: 1)))
  }

  @Test func `a fork to an existing id is not counted`() throws {
    try #require(fork(to: "a")).get()
    for _ in 0..<10 {
      guard case .failure(.lost) = fork(to: "a") else {
        Issue.record("The session exists.")
        return
      }
    }
    try #require(fork(to: "b")).get()
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
    throws
  {
    #expect(isFull(append(65, to: "origin", after: 10)))
    #expect(isFull(append(65, to: "other", after: 0)))
    #expect(try log.session(key("origin")).load(schema: nil).entries.count == 10)
    log.session(key("origin")).end { _ in }
    try #require(append(65, to: "other", after: 0)).get()
  }

  @Test func `parameters, timers, accepted actions, outcomes and empty sessions count`() throws {
    let ledger = Ledger(memory: 100_000)
    let log = MemoryLog(outcomeRetention: .seconds(1), ledger: ledger)
    func create(_ id: String, _ parameters: [UInt8]?) -> Result<Void, LogError>? {
      let result = Mutex<Result<Void, LogError>?>(nil)
      let session = log.session(key(id))
      session.create(epoch: "e", parameters: parameters, replacesEnded: true) { outcome in
        result.withLock { $0 = outcome }
      }
      return result.withLock { $0 }
    }
    let large = [UInt8](repeating: UInt8(ascii: "1"), count: 60_000)
    try #require(create("a", large)).get()
    #expect(isFull(create("b", large)))
    log.session(key("a")).end { _ in }
    try #require(create("b", large)).get()
    log.session(key("b")).end { _ in }
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
    session.end { _ in }
    let ended = ledger.used(.histories)
    #expect(ended < empty + 1_000)

    var count = 0
    while case .success? = create("empty-\(count)", nil) { count += 1 }
    #expect(isFull(create("another", nil)) && count < 200)
    // A session that exists can be created again.
    try #require(create("a", nil)).get()
  }
}

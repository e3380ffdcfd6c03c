import LogTestSupport
@testable import ReactorLog
import Shares
import Synchronization
import Testing

/// The bound of the bytes of histories in memory.
struct MemoryBudgetTests {
  /// The bytes of one of the entries.
  private static let entry = LogEntry(
    version: 1, at: .now, action: nil, mutation: Array("1".utf8)
  ).byteCount
  private let log = MemoryLog(ledger: Ledger(memory: 70 * entry))

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
      LogEntry(version: $0, at: .now, action: nil, mutation: Array("1".utf8))
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
      LogEntry(version: version + $0, at: .now, action: nil, mutation: Array("1".utf8))
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
}

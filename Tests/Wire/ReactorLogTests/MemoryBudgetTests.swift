import LogTestSupport
import ReactorLog
import Synchronization
import Testing

/// The bound of the entries that forks copy in memory.
struct ForkQuotaTests {
  private let log = MemoryLog(forkedEntries: 25)

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

  @Test func `forks beyond the quota fail, and the end of one makes room`() throws {
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
}

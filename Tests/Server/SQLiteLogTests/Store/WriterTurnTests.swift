import LogTestSupport
import ReactorLog
import Shares
import Synchronization
import SystemThreads
import Testing
import TestSupport

@testable import SQLiteLog

/// The operations of many clients, which the writer takes in turn.
@Suite struct WriterTurnTests {
  /// A source that blocks the writer until it is released.
  private final class Blocker: BatchSource {
    private let isReleased = Semaphore()
    func appendBatch() { _ = isReleased.wait(for: .seconds(600)) }
    func release() { isReleased.signal() }
  }

  private let ledger = Ledger()

  private func account(_ name: String) -> Account { ledger.account(of: .principal(name)) }

  @Test func `the operations of a client do not delay those of others`() async throws {
    let folder = try TemporaryFolder()
    let log = try SQLiteLog(path: folder["log.db"])
    let blocker = Blocker()
    let order = Mutex<[String]>([])
    log.session(SessionKey(reactor: "counter", id: "blocker")).announce(blocker)
    func create(_ id: String, for name: String) {
      Account.$current.withValue(account(name)) {
        let session = log.session(SessionKey(reactor: "counter", id: id))
        begin {
          try await session.create(epoch: "one", replacesEnded: false)
        } completion: { _ in
          order.withLock { $0.append(id) }
        }
      }
    }
    for number in 0..<20_000 { create("greedy-\(number)", for: "greedy") }
    create("other", for: "other")
    blocker.release()
    #expect(log.close())
    let ended = order.withLock { $0 }
    #expect(ended.count == 20_001)
    // A group has at most 4,096 operations; the second one begins with those that take turns.
    #expect(try #require(ended.firstIndex(of: "other")) < 4_096 + 256)
    // Those of one client keep their order.
    #expect(ended.filter { $0 != "other" } == (0..<20_000).map { "greedy-\($0)" })
  }

  @Test func `copies of forks take turns`() async throws {
    let folder = try TemporaryFolder()
    let log = try SQLiteLog(path: folder["log.db"])
    let source = SessionKey(reactor: "counter", id: "source")
    var version = 0
    for _ in 0..<6 {
      let batch = (version + 1...version + 1_000).map { LogEntry(counted: $0) }
      try await log.session(source).append(LogBatch(batch), to: "one", expecting: version)
      version += 1_000
    }
    let blocker = Blocker()
    let order = Mutex<[String]>([])
    log.session(SessionKey(reactor: "counter", id: "blocker")).announce(blocker)
    for number in 0..<21 {
      let name = number < 20 ? "greedy" : "other"
      Account.$current.withValue(account(name)) {
        begin { [version] in
          try await log.fork(
            source.id, at: version, to: "\(name)-\(number)", epoch: "fork-\(number)")
        } completion: { result in
          #expect(throws: Never.self) { try result.get() }
          order.withLock { $0.append(name) }
        }
      }
    }
    blocker.release()
    #expect(log.close())
    let ended = order.withLock { $0 }
    #expect(ended.count == 21)
    // The copy of the other client is as long as each of the twenty, and has as many turns.
    #expect(try #require(ended.firstIndex(of: "other")) < 3, "\(ended)")
  }
}

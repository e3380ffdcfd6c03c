import Shares
import Synchronization
import Testing

@testable import ReactorLog

/// The sessions in memory with unfinished actions.
struct UnfinishedSessionsTests {
  private let table = MemoryTable(
    retained: 100, retention: RetentionRules(), outcomeRetention: 1_000, feed: nil,
    budget: MemoryBudget(Ledger()))

  private func key(_ id: String, _ reactor: String = "counter") -> SessionKey {
    SessionKey(reactor: reactor, id: id)
  }

  private func action(_ request: Int) -> AcceptedAction {
    AcceptedAction(
      id: .init(request: request, place: 0), action: [0x31], isInArray: false, key: nil, at: .now)
  }

  private func append(_ batch: LogBatch, to key: SessionKey) {
    MemorySessionLog(key, in: table).append(batch, to: "one", expecting: 0) { _ in }
  }

  private func finish(_ requests: [Int], of key: SessionKey) {
    append(LogBatch(finished: requests.map { action($0).id }), to: key)
  }

  /// The keys in the index of the table.
  private var indexed: [String] { page(after: nil, 1_000).map(\.description) }

  private func page(after key: SessionKey?, _ limit: Int) -> [SessionKey] {
    table.unfinished.withLock { $0.keys(after: key, limit: limit) }
  }

  @Test func `the index has no other sessions than those with unfinished actions`() {
    for number in 0..<100 { append(LogBatch(), to: key("idle-\(number)")) }
    #expect(indexed.isEmpty)
    append(LogBatch(accepted: [action(1), action(2)]), to: key("b"))
    append(LogBatch(accepted: [action(1)]), to: key("a"))
    append(LogBatch(accepted: [action(1)], finished: [action(1).id]), to: key("idle-1"))
    #expect(indexed == ["counter/a", "counter/b"])
    finish([1], of: key("b"))
    append(LogBatch(accepted: [action(1)]), to: key("a"))
    #expect(indexed == ["counter/a", "counter/b"])
    finish([2, 3], of: key("b"))
    #expect(indexed == ["counter/a"])
    append(LogBatch(accepted: [action(4)]), to: key("b"))
    #expect(indexed == ["counter/a", "counter/b"])
  }

  @Test func `a rejected batch, the end of a session and its next history have no entries`()
    async throws
  {
    let log = MemorySessionLog(key("a"), in: table)
    log.append(LogBatch(accepted: [action(1)]), to: "one", expecting: 7) { _ in }
    #expect(indexed.isEmpty)
    log.append(LogBatch(accepted: [action(1)]), to: "one", expecting: 0) { _ in }
    #expect(indexed == ["counter/a"])
    try await log.end()
    #expect(indexed.isEmpty)
    try await log.create(epoch: "two", parameters: nil)
    #expect(indexed.isEmpty)
  }

  @Test func `pages continue with the next session, also of another reactor`() {
    let keys = ["almost", "counter", "tally"].flatMap { reactor in
      (0..<300).map { key("\(1_000 + $0)", reactor) }
    }
    for key in keys.reversed() { append(LogBatch(accepted: [action(1)]), to: key) }
    for limit in [1, 299, 300, 301, 2_000] {
      var found: [SessionKey] = []
      while true {
        let next = page(after: found.last, limit)
        #expect(next.count <= limit)
        if next.isEmpty { break }
        found += next
      }
      #expect(found == keys)
    }
    #expect(page(after: key("~", "almost"), 1) == [key("1000")])
    #expect(page(after: key("1", "b"), 1) == [key("1000")])
    #expect(page(after: key("", "zero"), 1).isEmpty)
    for key in keys { finish([1], of: key) }
    #expect(indexed.isEmpty)
  }
}

import ReactorLog
import Testing

@testable import NATSLog

struct OutcomeSearchTests {
  private func outcome(_ name: String, at milliseconds: Int64 = 1_000) -> StoredOutcome {
    StoredOutcome(
      key: IdempotencyKey(stored: name, body: ""), at: Timestamp(milliseconds: milliseconds),
      version: 1, failure: nil)
  }

  /// Messages with one outcome each, whose names are their sequences, and the end of their log.
  private func log(_ count: Int) -> (messages: [LogMessage], head: SessionHead) {
    var (head, messages): (SessionHead, [LogMessage]) = (SessionHead(), [])
    for sequence in 1...count {
      let batch = LogBatch(outcomes: [outcome("\(sequence)", at: Int64(sequence))])
      let message = head.appending(batch, to: "e", now: .now)
      messages.append(message)
      head = SessionHead(message, at: sequence, by: nil)
    }
    return (messages, head)
  }

  /// Executes a step, and returns the number of messages that it reads.
  private func proceed(
    _ search: inout OutcomeSearch, in messages: [LogMessage], since oldest: Int64 = 0
  ) -> Int {
    let part = search.takeNext()
    let read = part.map { messages[$0.position.sequence - 1] }
    if part.first?.level ?? 0 > 0 {
      search.expand(into: zip(part, read).flatMap { $1.contents(of: $0) })
    } else if part.isEmpty {
      search.end()
    } else {
      search.add(read, since: oldest)
    }
    return part.count
  }

  @Test(arguments: [1, 3, 16, 17, 40, 256, 300])
  func `the latest outcomes are found first, then all others`(count: Int) {
    let (messages, head) = log(count)
    var search = OutcomeSearch(of: head, bound: 1_000)
    var reads = 0
    while search.byName["\(count)"] == nil, !search.isComplete {
      reads += proceed(&search, in: messages)
    }
    #expect(search.byName["\(count)"] != nil && reads <= 3 * OutcomeSearch.firstStep)
    for _ in 0..<1_000 where !search.isComplete { _ = proceed(&search, in: messages) }
    #expect(search.isComplete)
    #expect(search.byName.keys.sorted() == (1...count).map { "\($0)" }.sorted())
  }

  @Test func `outcomes that are too old end the search`() {
    let (messages, head) = log(100)
    var search = OutcomeSearch(of: head, bound: 1_000)
    for _ in 0..<1_000 where !search.isComplete {
      _ = proceed(&search, in: messages, since: 90)
    }
    #expect(search.isComplete && search.byName["90"] != nil && search.byName["80"] == nil)
  }

  @Test func `the number of outcomes is bounded`() {
    let (messages, head) = log(100)
    var search = OutcomeSearch(of: head, bound: 10)
    for _ in 0..<1_000 where !search.isComplete { _ = proceed(&search, in: messages) }
    #expect(search.byName.keys.sorted() == (91...100).map { "\($0)" }.sorted())
  }

  @Test func `a log without outcomes is not read`() {
    #expect(OutcomeSearch(of: SessionHead(), bound: 10).isComplete)
    let head = SessionHead(
      SessionHead().appending(LogBatch(), to: "e", now: .now), at: 1, by: nil)
    #expect(OutcomeSearch(of: head, bound: 10).isComplete)
  }
}

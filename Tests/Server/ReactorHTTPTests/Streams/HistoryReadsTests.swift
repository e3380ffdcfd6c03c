import ReactorTransport
import Shares
import Synchronization
import Testing

@testable import ReactorHTTP
@testable import ReactorHost

struct HistoryReadsTests {
  private static let first = WorkOwner.client(numbered: 1)
  private static let second = WorkOwner.client(numbered: 2)

  /// Reads that the test ends.
  private final class Reads: Sendable {
    let begun = Recorder<String>()
    private let ends = Mutex<[@Sendable () -> Void]>([])

    func begin(_ name: String, _ end: @escaping @Sendable () -> Void) {
      begun.add(name)
      ends.withLock { $0.append(end) }
    }

    /// Ends the read that began first.
    func endOne() {
      ends.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
    }
  }

  private static func client(_ number: UInt32) -> WorkOwner {
    .client(numbered: number)
  }

  @Test func `a client has a share of the reads that are under way`() {
    let (queue, reads) = (HistoryReads(), Reads())
    for number in 0..<5 { queue.enqueue(for: Self.first) { reads.begin("first \(number)", $0) } }
    queue.enqueue(for: Self.second) { reads.begin("second 0", $0) }
    #expect(reads.begun.values == ["first 0", "first 1", "second 0"])
    reads.endOne()
    #expect(reads.begun.values.last == "first 2")
    for _ in 0..<10 { reads.endOne() }
    #expect(reads.begun.values.count == 6)
  }

  @Test func `a bounded number of reads is under way, and clients take turns`() {
    let (queue, reads) = (HistoryReads(), Reads())
    let clients = HistoryReads.width / HistoryReads.share
    for number in 0..<3 {
      for client in 0..<clients {
        queue.enqueue(for: Self.client(UInt32(client))) { reads.begin("\(client) \(number)", $0) }
      }
    }
    queue.enqueue(for: Self.client(100)) { reads.begin("last", $0) }
    let order = (0..<3).flatMap { number in (0..<clients).map { "\($0) \(number)" } }
    #expect(reads.begun.values == Array(order.prefix(HistoryReads.width)))
    for _ in 0...clients { reads.endOne() }
    // A client without running reads is served before clients that have some.
    #expect(
      Array(reads.begun.values.dropFirst(HistoryReads.width))
        == ["last"] + order.dropFirst(HistoryReads.width))
    for _ in 0..<100 { reads.endOne() }
    #expect(reads.begun.values.count == 3 * clients + 1)
  }

  @Test func `reads that end at once do not nest`() {
    let (queue, reads) = (HistoryReads(), Reads())
    for _ in 0..<HistoryReads.share { queue.enqueue(for: Self.first) { reads.begin("held", $0) } }
    let count = Atomic(0)
    for _ in 0..<100_000 {
      queue.enqueue(for: Self.first) { end in
        count.add(1, ordering: .relaxed)
        end()
      }
    }
    #expect(count.load(ordering: .relaxed) == 0)
    reads.endOne()
    #expect(count.load(ordering: .relaxed) == 100_000)
  }

  @Test func `a client with too many reads that wait is rejected, and others are not`() {
    let (queue, reads, ledger) = (HistoryReads(), Reads(), Ledger())
    let first = WorkOwner.client(numbered: 1, in: ledger)
    for _ in 0..<HistoryReads.share { queue.enqueue(for: first) { reads.begin("held", $0) } }
    var accepted = 0
    while accepted < 100_000, queue.enqueueIfRoom(for: first, { reads.begin("first", $0) }) {
      accepted += 1
    }
    #expect(accepted == Limits.backgroundJobs / 2)
    let second = WorkOwner.client(numbered: 2, in: ledger)
    #expect(queue.enqueueIfRoom(for: second) { reads.begin("second", $0) })
  }
}

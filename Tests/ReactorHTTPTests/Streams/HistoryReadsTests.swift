import ReactorTransport
import Synchronization
import Testing

@testable import ReactorHTTP

struct HistoryReadsTests {
  private static let first = WorkerPool.Owner.client(ClientAddress(version4: 1))
  private static let second = WorkerPool.Owner.client(ClientAddress(version4: 2))

  /// Reads that end when the test says so.
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

  @Test func `a bounded number of reads is under way, and clients take turns`() {
    let (queue, reads) = (HistoryReads(), Reads())
    for number in 0..<50 {
      queue.enqueue(for: Self.first) { reads.begin("first \(number)", $0) }
    }
    for number in 0..<2 {
      queue.enqueue(for: Self.second) { reads.begin("second \(number)", $0) }
    }
    let width = HistoryReads.width
    #expect(reads.begun.values == (0..<width).map { "first \($0)" })
    for _ in 0..<4 { reads.endOne() }
    #expect(
      reads.begun.values.dropFirst(width) == [
        "first \(width)", "second 0", "first \(width + 1)", "second 1",
      ])
    for _ in 0..<100 { reads.endOne() }
    #expect(reads.begun.values.count == 52)
  }

  @Test func `reads that end at once do not nest`() {
    let (queue, reads) = (HistoryReads(), Reads())
    for _ in 0..<HistoryReads.width { queue.enqueue(for: Self.first) { reads.begin("held", $0) } }
    let count = Atomic(0)
    for _ in 0..<100_000 {
      queue.enqueue(for: Self.second) { end in
        count.add(1, ordering: .relaxed)
        end()
      }
    }
    #expect(count.load(ordering: .relaxed) == 0)
    reads.endOne()
    #expect(count.load(ordering: .relaxed) == 100_000)
  }

  @Test func `a client with too many reads that wait is rejected, and others are not`() {
    let (queue, reads) = (HistoryReads(), Reads())
    for _ in 0..<HistoryReads.width { queue.enqueue(for: Self.first) { reads.begin("held", $0) } }
    var accepted = 0
    while accepted < 100_000,
      queue.enqueueIfRoom(for: Self.first, { reads.begin("first", $0) })
    {
      accepted += 1
    }
    #expect(accepted == Limits.backgroundJobsPerClient)
    #expect(queue.enqueueIfRoom(for: Self.second) { reads.begin("second", $0) })
  }
}

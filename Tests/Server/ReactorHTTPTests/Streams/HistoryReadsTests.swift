import Synchronization
import Testing

@testable import ReactorHTTP
@testable import ReactorHost

@Suite(.timeLimit(.minutes(60)))
struct HistoryReadsTests {
  private static let first = WorkOwner.client(numbered: 1)
  private static let second = WorkOwner.client(numbered: 2)

  /// Reads that the test ends, of a pool without threads: a read begins where its turn begins.
  private final class Reads: Sendable {
    let begun = Recorder<String>()
    private let queue = HistoryReads()
    private let ends = Mutex<[CheckedContinuation<Void, Never>]>([])

    /// Waits for the turn of a read, which the test ends.
    func hold(_ name: String, for owner: WorkOwner, on pool: WorkerPool = WorkerPool(width: 0)) {
      pool.start(for: owner) { [self] in
        await queue.execute(for: owner) {
          begun.add(name)
          await withCheckedContinuation { end in ends.withLock { $0.append(end) } }
        }
      }
    }

    /// Waits for the turn of a read that ends at once.
    func pass(for owner: WorkOwner, on pool: WorkerPool, _ read: @escaping @Sendable () -> Void) {
      pool.start(for: owner) { [queue] in await queue.execute(for: owner) { read() } }
    }

    /// Ends the read that began first.
    func endOne() {
      ends.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.resume()
    }
  }

  private static func client(_ number: UInt32) -> WorkOwner {
    .client(numbered: number)
  }

  @Test func `a client has a share of the reads that are under way`() {
    let reads = Reads()
    for number in 0..<5 { reads.hold("first \(number)", for: Self.first) }
    reads.hold("second 0", for: Self.second)
    #expect(reads.begun.values == ["first 0", "first 1", "second 0"])
    reads.endOne()
    #expect(reads.begun.values.last == "first 2")
    for _ in 0..<10 { reads.endOne() }
    #expect(reads.begun.values.count == 6)
  }

  @Test func `a bounded number of reads is under way, and clients take turns`() {
    let reads = Reads()
    let clients = HistoryReads.width / HistoryReads.share
    for number in 0..<3 {
      for client in 0..<clients {
        reads.hold("\(client) \(number)", for: Self.client(UInt32(client)))
      }
    }
    reads.hold("last", for: Self.client(100))
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

  @Test func `reads that end at once do not nest`() async {
    let reads = Reads()
    let pool = WorkerPool(width: 1)
    for _ in 0..<HistoryReads.share { reads.hold("held", for: Self.first, on: pool) }
    let count = Atomic(0)
    for _ in 0..<100_000 {
      reads.pass(for: Self.first, on: pool) { count.add(1, ordering: .relaxed) }
    }
    while reads.begun.values.count < HistoryReads.share { await Task.yield() }
    #expect(count.load(ordering: .relaxed) == 0)
    reads.endOne()
    while count.load(ordering: .relaxed) < 100_000 { await Task.yield() }
    reads.endOne()
  }
}

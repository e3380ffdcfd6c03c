import ReactorTransport
import Shares
import Synchronization
import Testing

@testable import ReactorHTTP
@testable import ReactorHost

@Suite(.timeLimit(.minutes(60)))
struct WorkerPoolTests {
  private final class Counts: Sendable {
    let running = Atomic(0)
    let most = Atomic(0)
    let done = Atomic(0)

    func run() {
      most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
      for _ in 0..<1000 { _ = running.load(ordering: .relaxed) }
      running.subtract(1, ordering: .relaxed)
      done.add(1, ordering: .releasing)
    }
  }

  @Test(arguments: [1, 2, 4])
  func `all jobs are executed, at most as many at once as the width`(width: Int) async {
    let pool = WorkerPool(width: width)
    let counts = Counts()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<250 { pool.enqueue { counts.run() } } }
      }
    }
    while counts.done.load(ordering: .acquiring) < 1000 { await Task.yield() }
    #expect(counts.most.load(ordering: .relaxed) <= width)
  }

  @Test func `jobs start in the order of their arrival`() async {
    let pool = WorkerPool(width: 1)
    let begun = Recorder<Int>()
    for number in 0..<100 { pool.enqueue { begun.add(number) } }
    while begun.values.count < 100 { await Task.yield() }
    #expect(begun.values == Array(0..<100))
  }

  @Test func `clients take turns, whatever the number of their jobs`() async throws {
    let pool = WorkerPool(width: 1)
    let begun = Recorder<String>()
    let isHeld = Atomic(true)
    // The thread is busy until all jobs are enqueued.
    pool.enqueue { while isHeld.load(ordering: .acquiring) {} }
    let first = WorkOwner.client(numbered: 1)
    let second = WorkOwner.client(numbered: 2)
    for number in 0..<50 { pool.enqueue(for: first) { begun.add("first \(number)") } }
    for number in 0..<3 { pool.enqueue(for: second) { begun.add("second \(number)") } }
    isHeld.store(false, ordering: .releasing)
    while begun.values.count < 53 { await Task.yield() }
    #expect(
      begun.values.prefix(7) == [
        "first 0", "second 0", "first 1", "second 1", "first 2", "second 2", "first 3",
      ])
  }

  @Test func `a client with too many jobs is rejected, and others are not`() async {
    let pool = WorkerPool(width: 1)
    let isHeld = Atomic(true)
    let done = Recorder<Int>()
    pool.enqueue { while isHeld.load(ordering: .acquiring) {} }
    let ledger = Ledger()
    let first = WorkOwner.client(numbered: 1, in: ledger)
    var accepted = 0
    while accepted < 100_000, pool.enqueueIfRoom(for: first, { done.add(1) }) { accepted += 1 }
    #expect(accepted == Limits.backgroundJobs / 2)
    let second = WorkOwner.client(numbered: 2, in: ledger)
    #expect(pool.enqueueIfRoom(for: second) { done.add(2) })
    isHeld.store(false, ordering: .releasing)
    while done.values.count < accepted + 1 { await Task.yield() }
    #expect(pool.enqueueIfRoom(for: first) {})
  }

  @Test func `without threads the caller executes the job`() {
    let begun = Recorder<Int>()
    WorkerPool(width: 0).enqueue { begun.add(1) }
    #expect(begun.values == [1])
  }
}

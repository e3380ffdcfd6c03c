import ReactorTransport
import Synchronization
import Testing

@testable import ReactorHTTP

@Suite(.timeLimit(.minutes(10)))
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
        group.addTask { for _ in 0..<250 { pool.run { counts.run() } } }
      }
    }
    while counts.done.load(ordering: .acquiring) < 1000 { await Task.yield() }
    #expect(counts.most.load(ordering: .relaxed) <= width)
  }

  @Test func `jobs start in the order of their arrival`() async {
    let pool = WorkerPool(width: 1)
    let begun = Recorder<Int>()
    for number in 0..<100 { pool.run { begun.add(number) } }
    while begun.values.count < 100 { await Task.yield() }
    #expect(begun.values == Array(0..<100))
  }

  @Test func `without threads the caller executes the job`() {
    let begun = Recorder<Int>()
    WorkerPool(width: 0).run { begun.add(1) }
    #expect(begun.values == [1])
  }
}

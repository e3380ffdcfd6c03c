import Synchronization
import Testing

@testable import ReactorService

struct TerminationTests {
  @Test func `who waits is told once, in order`() {
    let termination = Termination()
    let told = Mutex<[Int]>([])
    termination.whenRequested { told.withLock { $0.append(1) } }
    termination.whenRequested { told.withLock { $0.append(2) } }
    #expect(!termination.isRequested)
    termination.request()
    termination.request()
    #expect(told.withLock { $0 } == [1, 2])
    #expect(termination.isRequested)
  }

  @Test func `who comes late is told at once`() {
    let termination = Termination()
    termination.request()
    let isTold = Atomic(false)
    termination.whenRequested { isTold.store(true, ordering: .relaxed) }
    #expect(isTold.load(ordering: .relaxed) == true)
  }

  @Test func `who is told may ask again`() {
    let termination = Termination()
    let isTold = Atomic(false)
    termination.whenRequested {
      termination.whenRequested { isTold.store(true, ordering: .relaxed) }
    }
    termination.request()
    #expect(isTold.load(ordering: .relaxed) == true)
  }

  @Test func `a task that waits goes on`() async {
    let termination = Termination()
    async let waiting: Void = termination.requested()
    termination.request()
    await waiting
  }

  @Test func `the first signal drains and every further one exits`() {
    let count = SignalCount()
    #expect((0..<3).map { _ in count.next() } == [.drain, .exit, .exit])
  }
}

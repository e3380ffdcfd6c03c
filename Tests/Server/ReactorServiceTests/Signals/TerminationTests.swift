import Synchronization
import Testing

@testable import ReactorService

struct TerminationTests {
  @Test func `registered actions are called once, in order`() {
    let termination = Termination()
    let called = Mutex<[Int]>([])
    termination.whenRequested { called.withLock { $0.append(1) } }
    termination.whenRequested { called.withLock { $0.append(2) } }
    #expect(!termination.isRequested)
    termination.request()
    termination.request()
    #expect(called.withLock { $0 } == [1, 2])
    #expect(termination.isRequested)
  }

  @Test func `an action registered after the request is called immediately`() {
    let termination = Termination()
    termination.request()
    let isCalled = Atomic(false)
    termination.whenRequested { isCalled.store(true, ordering: .relaxed) }
    #expect(isCalled.load(ordering: .relaxed) == true)
  }

  @Test func `an action may register another action`() {
    let termination = Termination()
    let isCalled = Atomic(false)
    termination.whenRequested {
      termination.whenRequested { isCalled.store(true, ordering: .relaxed) }
    }
    termination.request()
    #expect(isCalled.load(ordering: .relaxed) == true)
  }

  @Test func `a waiting task resumes`() async {
    let termination = Termination()
    async let waiting: Void = termination.requested()
    termination.request()
    await waiting
    #expect(termination.isRequested)
  }

  @Test func `the first signal drains and each further one exits`() {
    let count = SignalCount()
    #expect((0..<3).map { _ in count.next() } == [.drain, .exit, .exit])
  }
}

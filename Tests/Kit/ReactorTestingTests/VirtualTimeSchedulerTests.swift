import ReactorStreams
import ReactorTesting
import Synchronization
import Testing

@Suite struct VirtualTimeSchedulerTests {
  @Test func `work is executed when it is due, also the work that it schedules`() {
    let scheduler = VirtualTimeScheduler()
    let times = Mutex<[Duration]>([])
    scheduler.schedule(after: .seconds(1)) {
      times.withLock { $0.append(scheduler.now) }
    }
    scheduler.schedule(after: .milliseconds(10)) {
      scheduler.schedule(after: .milliseconds(5)) { times.withLock { $0.append(scheduler.now) } }
    }
    scheduler.advance(by: .milliseconds(20))
    #expect(times.withLock { $0 } == [.milliseconds(15)])
    #expect(scheduler.now == .milliseconds(20))
    scheduler.run()
    #expect(times.withLock { $0 } == [.milliseconds(15), .seconds(1)])
  }

  @Test func `a past time means now`() {
    let scheduler = VirtualTimeScheduler(now: .seconds(5))
    let ran = Atomic<Bool>(false)
    scheduler.schedule(at: .seconds(1)) { ran.store(true, ordering: .relaxed) }
    scheduler.advance(by: .zero)
    #expect(ran.load(ordering: .relaxed) == true)
    #expect(scheduler.now == .seconds(5))
  }
}

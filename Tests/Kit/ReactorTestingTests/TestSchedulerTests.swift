import ReactorStreams
import ReactorTesting
import Synchronization
import Testing

@Suite struct TestSchedulerTests {
  let scheduler = TestScheduler()

  @Test func `a stream is created at 100, subscribed to at 200 and disposed of at 1000`() {
    let created = Atomic<Int>(0)
    let source = scheduler.createHotObservable([
      .next(150, 1), .next(200, 2), .next(999, 3), .next(1000, 4),
    ])
    let result = scheduler.start { [scheduler] in
      created.store(scheduler.clock, ordering: .relaxed)
      return source
    }
    #expect(created.load(ordering: .relaxed) == 100)
    // At the same tick, an event of the source was scheduled before the subscription or the
    // disposal: the event at 200 is missed, the one at 1000 is received.
    #expect(result.elements == [3, 4])
    #expect(source.subscriptions == [Subscription(200, 1000)])
  }

  @Test func `the ticks of a cold stream are relative to its subscription`() {
    let source = scheduler.createColdObservable([.next(0, 1), .next(10, 2), .completed(20)])
    let first = scheduler.record(source, from: 200)
    let second = scheduler.record(source, from: 205, until: 212)
    scheduler.start()
    #expect(first.events == [.next(201, 1), .next(210, 2), .completed(220)])
    #expect(second.events == [.next(206, 1)])
    #expect(source.subscriptions == [Subscription(200, 220), Subscription(205, 212)])
  }

  @Test func `work of one tick is executed in the order of scheduling`() {
    let observer = scheduler.createObserver(Int.self)
    for index in 0..<100 { scheduler.scheduleAt(7 - index % 2) { observer.onNext(index) } }
    scheduler.start()
    #expect(
      observer.elements
        == Array(stride(from: 1, to: 100, by: 2)) + Array(stride(from: 0, to: 100, by: 2)))
  }

  @Test func `the time is the one that it was advanced to`() {
    let observer = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(10) { observer.onNext(1) }
    scheduler.scheduleAt(20) { observer.onNext(2) }
    scheduler.advanceTo(15)
    #expect(scheduler.clock == 15)
    #expect(observer.events == [.next(10, 1)])
    scheduler.advanceTo(20)
    #expect(observer.elements == [1, 2])
  }

  @Test func `disposed work is not executed`() {
    let observer = scheduler.createObserver(Int.self)
    scheduler.schedule(after: .milliseconds(10)) { observer.onNext(1) }.dispose()
    scheduler.start()
    #expect(observer.events.isEmpty)
  }

  @Test func `work that is due between two ticks is executed at the next one`() {
    let observer = scheduler.createObserver(Int.self)
    scheduler.schedule(after: .microseconds(1500)) { observer.onNext(1) }
    scheduler.schedule(after: .zero) { observer.onNext(2) }
    scheduler.start()
    #expect(observer.events == [.next(1, 2), .next(2, 1)])
  }

  @Test func `MainScheduler uses the test scheduler while it executes work`() {
    let result = scheduler.start {
      Observable<Int>.interval(.milliseconds(300), scheduler: MainScheduler.instance)
    }
    #expect(result.events == [.next(500, 0), .next(800, 1)])
  }

  @Test func `errors are compared by their descriptions`() {
    struct Silent: Error { let code: Int }
    #expect(Event<Int>.error(TestError("a")) == .error(TestError("a")))
    #expect(Event<Int>.error(TestError("a")) != .error(TestError("b")))
    #expect(Event<Int>.error(Silent(code: 1)) == .error(Silent(code: 1)))
    #expect(Event<Int>.error(Silent(code: 1)) != .error(Silent(code: 2)))
    #expect(Event<Int>.error(Silent(code: 1)) != .error(TestError("a")))
    #expect(Event.next(1) != .completed)
  }

  @Test func `records are written as the tests write them`() {
    #expect("\(Subscription(200, 300))" == "200-300")
    #expect("\(Subscription(200))" == "200-")
    #expect("\(Recorded(time: 210, value: 1))" == "210:1")
  }
}

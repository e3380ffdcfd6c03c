import ReactorStreams
import ReactorTesting
import Testing

@Suite struct TimeoutTests {
  let scheduler = TestScheduler()

  @Test func `a stream without a timeout passes through`() {
    let source = scheduler.createHotObservable([.next(300, 1), .next(450, 2), .completed(500)])
    let result = scheduler.start { [scheduler] in
      source.timeout(.milliseconds(200), scheduler: scheduler)
    }
    #expect(result.events == [.next(300, 1), .next(450, 2), .completed(500)])
  }

  @Test func `each element restarts the timeout, which fails the stream`() {
    let source = scheduler.createHotObservable([.next(300, 1), .next(600, 2)])
    let result = scheduler.start { [scheduler] in
      source.timeout(.milliseconds(150), scheduler: scheduler)
    }
    #expect(result.events == [.next(300, 1), .error(450, RxError.timeout)])
    #expect(source.subscriptions == [Subscription(200, 450)])
  }

  @Test func `timeout can switch to another stream`() {
    let source = scheduler.createHotObservable([.next(250, 1), .next(600, 2)])
    let other = scheduler.createColdObservable([.next(10, 7), .completed(20)])
    let result = scheduler.start { [scheduler] in
      source.timeout(.milliseconds(100), other: other, scheduler: scheduler)
    }
    #expect(result.events == [.next(250, 1), .next(360, 7), .completed(370)])
    #expect(source.subscriptions == [Subscription(200, 350)])
    #expect(other.subscriptions == [Subscription(350, 370)])
  }

  @Test func `an error of the source is not a timeout`() {
    let source = scheduler.createHotObservable([Recorded<Event<Int>>.error(250)])
    let result = scheduler.start { [scheduler] in
      source.timeout(.milliseconds(100), other: Observable.just(1), scheduler: scheduler)
    }
    #expect(result.events == [.error(250)])
  }
}

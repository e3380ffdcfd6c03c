import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct RetryTests {
  let scheduler = TestScheduler()

  @Test func `retry subscribes again until the stream completes`() {
    let source = scheduler.createColdObservable([.next(100, 1), .error(250)])
    let result = scheduler.start { source.retry() }
    #expect(
      result.events == [.next(300, 1), .next(550, 1), .next(800, 1)])
    #expect(
      source.subscriptions == [
        Subscription(200, 450), Subscription(450, 700), Subscription(700, 950),
        Subscription(950, 1000),
      ])
  }

  @Test func `retry with a count forwards the last error`() {
    let source = scheduler.createColdObservable([.next(5, 1), .next(10, 2), .error(20)])
    let result = scheduler.start { source.retry(3) }
    #expect(
      result.events == [
        .next(205, 1), .next(210, 2), .next(225, 1), .next(230, 2), .next(245, 1), .next(250, 2),
        .error(260),
      ])
    #expect(source.subscriptions.count == 3)
  }

  @Test func `retry with no attempts is empty`() {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(20)])
    #expect(scheduler.start { source.retry(0) }.events == [.completed(200)])
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `a hundred thousand attempts that fail at once do not recurse`() {
    let attempts = Log<Void>()
    let source = Observable<Int>.create { observer in
      attempts.append(())
      observer.onError(TestError.test)
      return Disposables.create()
    }
    let log = Log<String>()
    _ = source.retry(100_000).subscribe(onError: { log.append("\($0)") })
    #expect(attempts.entries.count == 100_000)
    #expect(log.entries == ["TestError(test)"])
  }

  @Test func `a retry waits for its back-off`() {
    let source = scheduler.createColdObservable([.next(5, 1), .error(10)])
    let attempts = 4
    let result = scheduler.start(disposed: 800) { [scheduler] in
      source.retry { (errors: Observable<any Error>) in
        errors.enumerated().flatMap { attempt, error -> Observable<Int> in
          if attempt >= attempts - 1 { return .error(error) }
          return .timer(.milliseconds((attempt + 1) * 50), scheduler: scheduler)
        }
      }
    }
    #expect(
      result.events == [
        .next(205, 1), .next(265, 1), .next(375, 1), .next(535, 1), .error(540),
      ])
    #expect(
      source.subscriptions == [
        Subscription(200, 210), Subscription(260, 270), Subscription(370, 380),
        Subscription(530, 540),
      ])
  }

  @Test func `the completion of the trigger takes effect at the next error`() {
    let source = scheduler.createColdObservable([.next(5, 1), .error(10)])
    let result = scheduler.start {
      source.retry { (errors: Observable<any Error>) in errors.take(2) }
    }
    #expect(
      result.events == [.next(205, 1), .next(215, 1), .next(225, 1), .completed(230)])
  }

  @Test func `elements of the trigger have no effect while the source is healthy`() {
    let source = scheduler.createColdObservable([.next(50, 1), .next(100, 2), .completed(150)])
    let trigger = scheduler.createHotObservable([.next(220, 0), .next(270, 0)])
    let result = scheduler.start { source.retry { (_: Observable<any Error>) in trigger } }
    #expect(result.events == [.next(250, 1), .next(300, 2), .completed(350)])
    #expect(source.subscriptions == [Subscription(200, 350)])
  }

  @Test(arguments: [Event<Int>.completed, .error(TestError.test)])
  func `the end of the trigger does not end a healthy source`(_ end: Event<Int>) {
    let source = scheduler.createColdObservable([.next(50, 1), .next(100, 2), .completed(150)])
    let trigger = scheduler.createHotObservable([Recorded(time: 220, value: end)])
    let result = scheduler.start { source.retry { (_: Observable<any Error>) in trigger } }
    #expect(result.events == [.next(250, 1), .next(300, 2), .completed(350)])
  }

  @Test(arguments: [Event<Int>.completed, .error(TestError("trigger"))])
  func `a source that fails after its trigger has ended ends like the trigger`(_ end: Event<Int>) {
    let source = scheduler.createColdObservable([.next(50, 1), .error(100)])
    let trigger = scheduler.createHotObservable([Recorded(time: 220, value: end)])
    let result = scheduler.start { source.retry { (_: Observable<any Error>) in trigger } }
    #expect(result.events == [.next(250, 1), Recorded(time: 300, value: end)])
  }

  @Test func `errors of another type than the handler's pass through`() {
    let source = scheduler.createColdObservable([.next(5, 1), .error(10)])
    let result = scheduler.start {
      source.retry { (errors: Observable<RxError>) in errors }
    }
    #expect(result.events == [.next(205, 1), .error(210)])
  }
}

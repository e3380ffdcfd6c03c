import ReactorStreams
import ReactorTesting
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

  @Test func `retry with a count passes the last failure on`() {
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

  @Test func `a hundred thousand attempts that fail at once need no deep stack`() {
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

  @Test func `X47: retry with a back-off`() {
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

  @Test func `the deciding stream may complete the stream`() {
    let source = scheduler.createColdObservable([.next(5, 1), .error(10)])
    let result = scheduler.start { source.retryWhen { $0.take(2) } }
    #expect(result.events == [.next(205, 1), .next(215, 1), .completed(220)])
  }

  @Test func `failures of another type than the handler's pass through`() {
    let source = scheduler.createColdObservable([.next(5, 1), .error(10)])
    let result = scheduler.start {
      source.retry { (errors: Observable<RxError>) in errors }
    }
    #expect(result.events == [.next(205, 1), .error(210)])
  }
}

import ReactorRx
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct GroupingTests {
  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `buffers and windows without a duration wait for the scheduler`(timeSpan: Duration) {
    let scheduler = TestScheduler()
    let log = Log<String>()
    let subscriptions = CompositeDisposable()
    SharingScheduler.mock(scheduler: scheduler) {
      let source = Observable<Int>.never()
      subscriptions.insert(
        source.buffer(timeSpan: timeSpan, count: 2, scheduler: MainScheduler.instance)
          .take(2).subscribe(onNext: { _ in log.append("buffer") }))
      subscriptions.insert(
        source.window(timeSpan: timeSpan, count: 2, scheduler: MainScheduler.instance)
          .take(2).subscribe(onNext: { _ in log.append("window") }))
    }
    #expect(log.entries == ["window"])
    scheduler.start()
    #expect(log.entries.sorted() == ["buffer", "buffer", "window", "window"])
    subscriptions.dispose()
  }

  let scheduler = TestScheduler()
  let source: TestableObservable<Int>

  init() {
    source = scheduler.createHotObservable([
      .next(210, 1), .next(220, 2), .next(230, 3), .next(260, 4), .completed(300),
    ])
  }

  @Test func `groupBy has a stream per key`() {
    let result = scheduler.start { [source] in
      source.groupBy { $0 % 2 }.flatMap { group in group.map { "\(group.key):\($0)" } }
    }
    #expect(
      result.events == [
        .next(210, "1:1"), .next(220, "0:2"), .next(230, "1:3"), .next(260, "0:4"),
        .completed(300),
      ])
  }

  @Test
  func `a subscribed group keeps the source subscribed after the outer subscription ends`() {
    let result = scheduler.createObserver(Int.self)
    let outer = SerialDisposable()
    scheduler.scheduleAt(200) { [source] in
      outer.disposable = source.groupBy { $0 % 2 }.subscribe(onNext: { group in
        if group.key == 1 { _ = group.subscribe(result) }
      })
    }
    scheduler.scheduleAt(225) { outer.dispose() }
    scheduler.start()
    #expect(result.events == [.next(210, 1), .next(230, 3), .completed(300)])
    #expect(source.subscriptions == [Subscription(200, 300)])
  }

  @Test func `a key selector that throws fails the stream and its groups`() {
    let result = scheduler.start { [source] in
      source.groupBy { if $0 == 2 { throw TestError.test } else { $0 } }.flatMap { $0 }
    }
    #expect(result.events == [.next(210, 1), .error(220)])
  }

  @Test func `a buffer ends when it is full or its time has passed`() {
    let result = scheduler.start { [source, scheduler] in
      source.buffer(timeSpan: .milliseconds(25), count: 2, scheduler: scheduler)
        .map { $0.map(String.init).joined(separator: ",") }
    }
    #expect(
      result.events == [
        .next(220, "1,2"), .next(245, "3"), .next(270, "4"), .next(295, ""), .next(300, ""),
        .completed(300),
      ])
  }

  @Test func `a window ends when it is full or its time has passed`() {
    let result = scheduler.start { [source, scheduler] in
      source.window(timeSpan: .milliseconds(25), count: 2, scheduler: scheduler)
        .enumerated()
        .flatMap { index, window in window.map { "\(index):\($0)" } }
    }
    #expect(
      result.events == [
        .next(210, "0:1"), .next(220, "0:2"), .next(230, "1:3"), .next(260, "2:4"),
        .completed(300),
      ])
  }

  @Test func `sample emits each latest element once`() {
    let sampler = scheduler.createHotObservable([
      .next(215, 0), .next(217, 0), .next(240, 0), .next(310, 0),
    ])
    let result = scheduler.start { [source] in source.sample(sampler) }
    #expect(
      result.events == [.next(215, 1), .next(240, 3), .next(310, 4), .completed(310)])
  }

  @Test func `amb follows the stream that emits first`() {
    let slower = scheduler.createHotObservable([.next(211, -1), .completed(220)])
    let result = scheduler.start { [source] in source.amb(slower).take(2) }
    #expect(result.events == [.next(210, 1), .next(220, 2), .completed(220)])
    #expect(slower.subscriptions == [Subscription(200, 210)])
  }
}

import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct FlatMapLatestTests {
  let scheduler = TestScheduler()
  let first: TestableObservable<Int>
  let second: TestableObservable<Int>
  let third: TestableObservable<Int>

  init() {
    first = scheduler.createColdObservable([
      .next(10, 101), .next(20, 102), .next(110, 103), .next(120, 104), .next(210, 105),
      .next(220, 106), .completed(230),
    ])
    second = scheduler.createColdObservable([
      .next(10, 201), .next(20, 202), .next(30, 203), .next(40, 204), .completed(50),
    ])
    third = scheduler.createColdObservable([
      .next(10, 301), .next(20, 302), .next(30, 303), .next(40, 304), .completed(150),
    ])
  }

  let untilSecond: [Recorded<Event<Int>>] = [
    .next(310, 101), .next(320, 102), .next(410, 201), .next(420, 202), .next(430, 203),
    .next(440, 204),
  ]

  @Test func `each outer element disposes of the previous inner stream`() {
    let outer = scheduler.createHotObservable([
      .next(300, first), .next(400, second), .next(500, third), .completed(600),
    ])
    let result = scheduler.start { outer.flatMapLatest { $0 } }
    #expect(
      result.events == untilSecond + [
        .next(510, 301), .next(520, 302), .next(530, 303), .next(540, 304), .completed(650),
      ])
    #expect(outer.subscriptions == [Subscription(200, 600)])
    #expect(first.subscriptions == [Subscription(300, 400)])
    #expect(second.subscriptions == [Subscription(400, 450)])
    #expect(third.subscriptions == [Subscription(500, 650)])
  }

  @Test func `an inner error fails the result and disposes of the outer stream`() {
    let failing = scheduler.createColdObservable([
      .next(10, 201), .next(20, 202), .next(30, 203), .next(40, 204), .error(50),
    ])
    let outer = scheduler.createHotObservable([
      .next(300, first), .next(400, failing), .next(500, third), .completed(600),
    ])
    let result = scheduler.start { outer.flatMapLatest { $0 } }
    #expect(result.events == untilSecond + [.error(450)])
    #expect(outer.subscriptions == [Subscription(200, 450)])
    #expect(third.subscriptions.isEmpty)
  }

  @Test func `an outer error fails the result`() {
    let outer = scheduler.createHotObservable([
      .next(300, first), .next(400, second), .error(500),
    ])
    let result = scheduler.start { outer.flatMapLatest { $0 } }
    #expect(result.events == untilSecond + [.error(500)])
  }

  @Test func `a selector that throws fails the result and disposes of the inner stream`() {
    let outer = scheduler.createHotObservable([.next(300, 0), .next(400, 1)])
    let result = scheduler.start { [first] in
      outer.flatMapLatest { index in
        guard index == 0 else { throw TestError.test }
        return first
      }
    }
    #expect(result.events == [.next(310, 101), .next(320, 102), .error(400)])
    #expect(first.subscriptions == [Subscription(300, 400)])
  }

  @Test func `the result completes with the last inner stream after the outer one`() {
    let outer = scheduler.createHotObservable([.next(300, second), .completed(310)])
    let result = scheduler.start { outer.flatMapLatest { $0 } }
    #expect(result.events.last == .completed(350))
  }

  @Test func `an outer stream without elements completes at once`() {
    let outer = scheduler.createHotObservable([Recorded<Event<Int>>.completed(250)])
    let result = scheduler.start { outer.flatMapLatest { Observable.just($0) } }
    #expect(result.events == [.completed(250)])
  }

  @Test func `a disposal ends the outer and the inner subscription`() {
    let outer = scheduler.createHotObservable([.next(300, first)])
    let result = scheduler.start(disposed: 315) { outer.flatMapLatest { $0 } }
    #expect(result.events == [.next(310, 101)])
    #expect(outer.subscriptions == [Subscription(200, 315)])
    #expect(first.subscriptions == [Subscription(300, 315)])
  }

  @Test func `an element of the outer stream cancels a synchronous inner one`() {
    let log = Log<Int>()
    _ = Observable.of(1, 2).flatMapLatest { Observable.of($0 * 10, $0 * 10 + 1) }
      .subscribe(onNext: log.append, onCompleted: { log.append(-1) })
    #expect(log.entries == [10, 20, 21, -1])
  }

  @Test
  func `an error caught in the inner stream keeps the outer one alive, caught outside it ends it`()
  {
    let query = scheduler.createHotObservable([
      .next(210, "ok"), .next(220, "bad"), .next(230, "ok"),
    ])
    let search: @Sendable (String) -> Observable<[String]> = { text in
      text == "bad" ? .error(TestError.test) : .just([text])
    }
    let inside = scheduler.record(
      query.flatMapLatest { search($0).catchAndReturn([]) }, from: 200)
    let outside = scheduler.record(
      query.flatMapLatest { search($0) }.catchAndReturn([]), from: 200)
    scheduler.start()
    #expect(inside.events == [.next(210, ["ok"]), .next(220, []), .next(230, ["ok"])])
    #expect(outside.events == [.next(210, ["ok"]), .next(220, []), .completed(220)])
  }
}

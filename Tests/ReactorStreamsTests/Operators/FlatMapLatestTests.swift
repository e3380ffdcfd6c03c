import ReactorStreams
import ReactorTesting
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

  @Test func `X01: each outer element ends the inner stream before`() {
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

  @Test func `X02: an inner failure fails the stream and ends the outer one`() {
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

  @Test func `X03: an outer failure fails the stream`() {
    let outer = scheduler.createHotObservable([
      .next(300, first), .next(400, second), .error(500),
    ])
    let result = scheduler.start { outer.flatMapLatest { $0 } }
    #expect(result.events == untilSecond + [.error(500)])
  }

  @Test func `X04: a selector that throws fails the stream and ends the inner one`() {
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

  @Test func `the last inner stream's end after the outer one's completes the stream`() {
    let outer = scheduler.createHotObservable([.next(300, second), .completed(310)])
    let result = scheduler.start { outer.flatMapLatest { $0 } }
    #expect(result.events.last == .completed(350))
  }

  @Test func `an outer stream without elements completes at once`() {
    let outer = scheduler.createHotObservable([Recorded<Event<Int>>.completed(250)])
    let result = scheduler.start { outer.flatMapLatest { Observable.just($0) } }
    #expect(result.events == [.completed(250)])
  }

  @Test func `disposing ends the outer stream and the inner one`() {
    let outer = scheduler.createHotObservable([.next(300, first)])
    let result = scheduler.start(disposed: 315) { outer.flatMapLatest { $0 } }
    #expect(result.events == [.next(310, 101)])
    #expect(outer.subscriptions == [Subscription(200, 315)])
    #expect(first.subscriptions == [Subscription(300, 315)])
  }

  @Test func `ready-made inner streams are emitted whole`() {
    let log = Log<Int>()
    _ = Observable.of(1, 2).flatMapLatest { Observable.of($0 * 10, $0 * 10 + 1) }
      .subscribe(onNext: log.append, onCompleted: { log.append(-1) })
    #expect(log.entries == [10, 11, 20, 21, -1])
  }

  @Test func `X30: a failure caught inside lets the outer stream live, caught outside ends it`() {
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

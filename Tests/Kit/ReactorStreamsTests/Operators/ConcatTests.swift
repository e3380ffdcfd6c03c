import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct ConcatTests {
  let scheduler = TestScheduler()

  @Test func `the streams follow one after the other`() {
    let sources = [
      scheduler.createColdObservable([.next(10, 1), .next(20, 2), .next(30, 3), .completed(40)]),
      scheduler.createColdObservable([.next(10, 4), .next(20, 5), .completed(30)]),
      scheduler.createColdObservable([
        .next(10, 6), .next(20, 7), .next(30, 8), .next(40, 9), .completed(50),
      ]),
    ]
    let result = scheduler.start { Observable.concat(sources.map { $0.asObservable() }) }
    #expect(
      result.events == [
        .next(210, 1), .next(220, 2), .next(230, 3), .next(250, 4), .next(260, 5), .next(280, 6),
        .next(290, 7), .next(300, 8), .next(310, 9), .completed(320),
      ])
    #expect(
      sources.map(\.subscriptions) == [
        [Subscription(200, 240)], [Subscription(240, 270)], [Subscription(270, 320)],
      ])
  }

  @Test func `two empty streams complete with the second one`() {
    let first = scheduler.createHotObservable([.next(150, 1), .completed(230)])
    let second = scheduler.createHotObservable([.next(150, 1), .completed(250)])
    let result = scheduler.start { first.concat(second) }
    #expect(result.events == [.completed(250)])
    #expect(first.subscriptions == [Subscription(200, 230)])
    #expect(second.subscriptions == [Subscription(230, 250)])
  }

  @Test func `an error of the first stream prevents the second one`() {
    let first = scheduler.createHotObservable([Recorded<Event<Int>>.error(230)])
    let second = scheduler.createHotObservable([.next(240, 2), .completed(250)])
    let result = scheduler.start { first.concat(second) }
    #expect(result.events == [.error(230)])
    #expect(second.subscriptions.isEmpty)
  }

  @Test func `an empty stream and a silent one emit nothing`() {
    let first = scheduler.createHotObservable([Recorded<Event<Int>>.completed(230)])
    let second = scheduler.createHotObservable([Recorded<Event<Int>>]())
    let result = scheduler.start { first.concat(second) }
    #expect(result.events.isEmpty)
    #expect(first.subscriptions == [Subscription(200, 230)])
    #expect(second.subscriptions == [Subscription(230, 1000)])
  }

  @Test func `startWith emits its elements first`() {
    let source = scheduler.createHotObservable([.next(150, 1), .next(220, 2), .completed(250)])
    let result = scheduler.start { source.startWith(8, 9) }
    #expect(result.events == [.next(200, 8), .next(200, 9), .next(220, 2), .completed(250)])
  }

  @Test func `a hundred thousand streams that complete at once do not recurse`() {
    let count = Log<Int>()
    _ = Observable.concat((0..<100_000).map { Observable.create(emitting: $0) })
      .filter { $0 % 10_000 == 0 }.subscribe(onNext: count.append)
    #expect(count.entries.count == 10)
  }
}

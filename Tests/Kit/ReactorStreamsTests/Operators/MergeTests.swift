import ReactorStreams
import ReactorTesting
import Testing

@Suite struct MergeTests {
  let scheduler = TestScheduler()

  @Test func `streams are merged as they come`() {
    let first = scheduler.createColdObservable([
      .next(10, 101), .next(20, 102), .completed(230),
    ])
    let second = scheduler.createColdObservable([
      .next(10, 201), .next(20, 202), .completed(50),
    ])
    let third = scheduler.createColdObservable([
      .next(10, 301), .next(20, 302), .completed(150),
    ])
    let result = scheduler.start {
      Observable.merge(first.asObservable(), second.asObservable(), third.asObservable())
    }
    #expect(
      result.events == [
        .next(210, 101), .next(210, 201), .next(210, 301), .next(220, 102), .next(220, 202),
        .next(220, 302), .completed(430),
      ])
    #expect(first.subscriptions == [Subscription(200, 430)])
    #expect(second.subscriptions == [Subscription(200, 250)])
    #expect(third.subscriptions == [Subscription(200, 350)])
  }

  @Test func `the first error fails the result`() {
    let first = scheduler.createColdObservable([.next(10, 101), .error(15)])
    let second = scheduler.createColdObservable([
      .next(10, 201), .next(20, 202), .completed(50),
    ])
    let result = scheduler.start {
      Observable.merge([first.asObservable(), second.asObservable()])
    }
    #expect(result.events == [.next(210, 101), .next(210, 201), .error(215)])
    #expect(first.subscriptions == [Subscription(200, 215)])
    #expect(second.subscriptions == [Subscription(200, 215)])
  }

  @Test func `an empty stream among them does not end the merge`() {
    let second = scheduler.createColdObservable([
      .next(10, 201), .next(20, 202), .completed(50),
    ])
    let result = scheduler.start { Observable.merge(.empty(), second.asObservable()) }
    #expect(result.events == [.next(210, 201), .next(220, 202), .completed(250)])
  }

  @Test func `merging nothing completes`() {
    let result = scheduler.start { Observable<Int>.merge([]) }
    #expect(result.events == [.completed(200)])
  }

  @Test func `at most two streams are active, and the others wait in order`() {
    let sources = [
      scheduler.createColdObservable([
        .next(50, 1), .next(100, 2), .next(120, 3), .completed(140),
      ]),
      scheduler.createColdObservable([.next(20, 4), .next(70, 5), .completed(200)]),
      scheduler.createColdObservable([
        .next(10, 6), .next(90, 7), .next(110, 8), .completed(130),
      ]),
      scheduler.createColdObservable([.next(210, 9), .next(240, 10), .completed(300)]),
    ]
    let outer = scheduler.createHotObservable([
      .next(210, sources[0]), .next(260, sources[1]), .next(270, sources[2]),
      .next(320, sources[3]), .completed(400),
    ])
    let result = scheduler.start { outer.merge(maxConcurrent: 2) }
    #expect(
      result.events == [
        .next(260, 1), .next(280, 4), .next(310, 2), .next(330, 3), .next(330, 5), .next(360, 6),
        .next(440, 7), .next(460, 8), .next(670, 9), .next(700, 10), .completed(760),
      ])
    #expect(
      sources.map(\.subscriptions) == [
        [Subscription(210, 350)], [Subscription(260, 460)], [Subscription(350, 480)],
        [Subscription(460, 760)],
      ])
  }

  @Test func `an error drops the waiting streams`() {
    let failing = scheduler.createColdObservable([Recorded<Event<Int>>.error(50)])
    let waiting = scheduler.createColdObservable([Recorded<Event<Int>>.next(10, 1)])
    let outer = scheduler.createHotObservable([.next(210, failing), .next(220, waiting)])
    let result = scheduler.start { outer.merge(maxConcurrent: 1) }
    #expect(result.events == [.error(260)])
    #expect(waiting.subscriptions.isEmpty)
    #expect(outer.subscriptions == [Subscription(200, 260)])
  }
}

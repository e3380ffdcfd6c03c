import ReactorStreams
import ReactorTesting
import Testing

@Suite struct WithLatestFromTests {
  let scheduler = TestScheduler()
  let elements: [Recorded<Event<Int>>] = [
    .next(90, 1), .next(180, 2), .next(250, 3), .next(260, 4), .next(310, 5), .next(340, 6),
    .next(410, 7), .next(420, 8), .next(470, 9), .next(550, 10), .completed(590),
  ]

  @Test func `each element is combined with the other stream's latest one`() {
    let first = scheduler.createHotObservable(elements)
    let second = scheduler.createHotObservable([
      .next(255, "bar"), .next(330, "foo"), .next(350, "qux"), .completed(400),
    ])
    let result = scheduler.start { first.withLatestFrom(second) { "\($0)\($1)" } }
    #expect(
      result.events == [
        .next(260, "4bar"), .next(310, "5bar"), .next(340, "6foo"), .next(410, "7qux"),
        .next(420, "8qux"), .next(470, "9qux"), .next(550, "10qux"), .completed(590),
      ])
    #expect(first.subscriptions == [Subscription(200, 590)])
    #expect(second.subscriptions == [Subscription(200, 400)])
  }

  @Test func `the other stream is subscribed to first`() {
    let first = BehaviorSubject(value: 3)
    let second = BehaviorSubject(value: 5)
    let result = scheduler.start { first.withLatestFrom(second) { "\($0)\($1)" }.take(1) }
    #expect(result.events == [.next(200, "35"), .completed(200)])
  }

  @Test func `an error of the other stream fails the result and disposes of both`() {
    let first = scheduler.createHotObservable(elements.filter { $0.time < 390 } + [.completed(390)])
    let second = scheduler.createHotObservable([
      .next(255, "bar"), .next(330, "foo"), .next(350, "qux"), .error(370),
    ])
    let result = scheduler.start { first.withLatestFrom(second) { "\($0)\($1)" } }
    #expect(
      result.events == [
        .next(260, "4bar"), .next(310, "5bar"), .next(340, "6foo"), .error(370),
      ])
    #expect(first.subscriptions == [Subscription(200, 370)])
    #expect(second.subscriptions == [Subscription(200, 370)])
  }

  @Test func `without a closure the result is the other stream's latest element`() {
    let first = scheduler.createHotObservable(elements)
    let second = scheduler.createHotObservable([.next(405, "a")])
    let result = scheduler.start { first.withLatestFrom(second) }
    #expect(result.elements == ["a", "a", "a", "a"])
  }

  @Test func `a closure that throws fails the stream`() {
    let result = scheduler.start {
      Observable.of(1).withLatestFrom(Observable.of(2)) { _, _ -> Int in throw TestError.test }
    }
    #expect(result.events == [.error(200)])
  }
}

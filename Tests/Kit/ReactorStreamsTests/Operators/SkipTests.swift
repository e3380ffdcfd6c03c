import ReactorStreams
import ReactorTesting
import Testing

@Suite struct SkipTests {
  let scheduler = TestScheduler()
  let elements: [Recorded<Event<Int>>] = [
    .next(210, 2), .next(220, 3), .next(230, 4), .next(240, 5), .completed(250),
  ]

  @Test func `take(until:) ends when the other stream emits`() {
    let left = scheduler.createHotObservable(elements)
    let right = scheduler.createHotObservable([.next(225, 99), .completed(235)])
    let result = scheduler.start { left.skip(until: right) }
    #expect(result.events == [.next(230, 4), .next(240, 5), .completed(250)])
    #expect(left.subscriptions == [Subscription(200, 250)])
    #expect(right.subscriptions == [Subscription(200, 225)])
  }

  @Test func `an error of the other stream fails it`() {
    let left = scheduler.createHotObservable(elements)
    let right = scheduler.createHotObservable([Recorded<Event<Int>>.error(225)])
    #expect(scheduler.start { left.skip(until: right) }.events == [.error(225)])
  }

  @Test func `skip(until:) emits nothing if the other stream completes`() {
    let left = scheduler.createHotObservable(elements)
    let right = scheduler.createHotObservable([Recorded<Event<Int>>.completed(225)])
    #expect(scheduler.start { left.skip(until: right) }.events == [.completed(250)])
  }

  @Test(arguments: [(0, [2, 3, 4, 5]), (2, [4, 5]), (9, []), (-1, [2, 3, 4, 5])])
  func `take emits the first elements`(count: Int, expected: [Int]) {
    let source = scheduler.createHotObservable(elements)
    let result = scheduler.start { source.skip(count) }
    #expect(result.elements == expected)
    #expect(result.events.last == .completed(250))
  }

  @Test func `skip(while:) stops testing after the first failure`() {
    let result = scheduler.start { Observable.of(1, 2, 5, 1).skip(while: { $0 < 3 }) }
    #expect(result.elements == [5, 1])
  }

  @Test func `skip accepts a time`() {
    let source = scheduler.createHotObservable(elements)
    let result = scheduler.start { [scheduler] in
      source.skip(.milliseconds(25), scheduler: scheduler)
    }
    #expect(result.events == [.next(230, 4), .next(240, 5), .completed(250)])
  }
}

import ReactorStreams
import ReactorTesting
import Testing

@Suite struct ThrottleTests {
  let scheduler = TestScheduler()
  let elements: [Recorded<Event<Int>>] = [
    .next(150, 1), .next(210, 2), .next(250, 3), .next(310, 4), .next(350, 5), .next(410, 6),
    .next(450, 7),
  ]

  func run(
    _ script: [Recorded<Event<Int>>], latest: Bool
  ) -> (events: [Recorded<Event<Int>>], subscriptions: [Subscription]) {
    let source = scheduler.createHotObservable(script)
    let result = scheduler.start { [scheduler] in
      source.throttle(.milliseconds(200), latest: latest, scheduler: scheduler)
    }
    return (result.events, source.subscriptions)
  }

  @Test func `the latest element is emitted at the end of the time, before the completion`() {
    let (events, subscriptions) = run(elements + [.completed(500)], latest: true)
    #expect(events == [.next(210, 2), .next(410, 6), .next(610, 7), .completed(610)])
    #expect(subscriptions == [Subscription(200, 500)])
  }

  @Test func `the completion is not delayed without a pending element`() {
    let (events, subscriptions) = run(elements + [.completed(900)], latest: true)
    #expect(events == [.next(210, 2), .next(410, 6), .next(610, 7), .completed(900)])
    #expect(subscriptions == [Subscription(200, 900)])
  }

  @Test func `without latest, elements within the time are dropped`() {
    let (events, subscriptions) = run(elements + [.completed(500)], latest: false)
    #expect(events == [.next(210, 2), .next(410, 6), .completed(500)])
    #expect(subscriptions == [Subscription(200, 500)])
  }

  @Test(arguments: [true, false])
  func `an error drops pending elements`(latest: Bool) {
    let (events, subscriptions) = run(
      elements.filter { $0.time < 410 } + [.error(410)], latest: latest)
    #expect(events == [.next(210, 2), .error(410)])
    #expect(subscriptions == [Subscription(200, 410)])
  }

  @Test(arguments: [true, false])
  func `a stream without elements ends`(latest: Bool) {
    let (events, _) = run([.next(150, 0), .completed(500)], latest: latest)
    #expect(events == [.completed(500)])
  }

  @Test func `debounce as a drawing`() throws {
    let drawing = try marbles("ab-c-----d|") { inputs, scheduler in
      inputs[0].throttle(.milliseconds(3), scheduler: scheduler)
    }
    #expect(drawing == "a--c-----d|")
  }
}

import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct DelayTests {
  @Test func `a delayed subscription emits nothing after its disposal by an element`() {
    let scheduler = VirtualTimeScheduler()
    let log = Log<Int>()
    let subscription = SingleAssignmentDisposable()
    subscription.setDisposable(
      Observable.of(1, 2, 3).delaySubscription(.seconds(1), scheduler: scheduler)
        .subscribe(onNext: { element in
          log.append(element)
          subscription.dispose()
        }))
    scheduler.run()
    #expect(log.entries == [1])
  }

  let scheduler = TestScheduler()

  @Test func `elements and the completion are delayed`() {
    let source = scheduler.createHotObservable([
      .next(150, 1), .next(250, 2), .next(350, 3), .next(450, 4), .completed(550),
    ])
    let result = scheduler.start { [scheduler] in
      source.delay(.milliseconds(100), scheduler: scheduler)
    }
    #expect(
      result.events == [.next(350, 2), .next(450, 3), .next(550, 4), .completed(650)])
    #expect(source.subscriptions == [Subscription(200, 550)])
  }

  @Test func `an error is delivered at once and drops pending elements`() {
    let source = scheduler.createHotObservable([.next(250, 2), .next(350, 3), .error(400)])
    let result = scheduler.start { [scheduler] in
      source.delay(.milliseconds(100), scheduler: scheduler)
    }
    #expect(result.events == [.next(350, 2), .error(400)])
  }

  @Test func `elements of one tick keep their order`() throws {
    #expect(
      try marbles("[ab]c|") { inputs, scheduler in
        inputs[0].delay(.milliseconds(2), scheduler: scheduler)
      } == "--[ab]c|")
  }

  @Test func `a delayed subscription misses earlier elements`() {
    let source = scheduler.createHotObservable([.next(240, 1), .next(300, 2), .completed(310)])
    let result = scheduler.start { [scheduler] in
      source.delaySubscription(.milliseconds(50), scheduler: scheduler)
    }
    #expect(result.events == [.next(300, 2), .completed(310)])
    #expect(source.subscriptions == [Subscription(250, 310)])
  }

  @Test func `a delayed subscription that is disposed of does not start`() {
    let source = scheduler.createHotObservable([Recorded<Event<Int>>.next(300, 1)])
    _ = scheduler.start(disposed: 220) { [scheduler] in
      source.delaySubscription(.milliseconds(50), scheduler: scheduler)
    }
    #expect(source.subscriptions.isEmpty)
  }
}

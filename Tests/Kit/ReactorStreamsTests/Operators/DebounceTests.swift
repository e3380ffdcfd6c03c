import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct DebounceTests {
  let scheduler = TestScheduler()

  @Test func `an element is emitted after a time without another one`() {
    let source = scheduler.createHotObservable([
      .next(150, 1), .next(210, 2), .next(240, 3), .next(250, 4), .next(280, 5), .completed(400),
    ])
    let result = scheduler.start { [scheduler] in
      source.debounce(.milliseconds(20), scheduler: scheduler)
    }
    #expect(
      result.events == [.next(230, 2), .next(270, 4), .next(300, 5), .completed(400)])
    #expect(source.subscriptions == [Subscription(200, 400)])
  }

  @Test func `without a delay, the last of several elements is emitted`() {
    let log = Log<Int>()
    let source = PublishSubject<Int>()
    SharingScheduler.mock(scheduler: scheduler) {
      _ = source.debounce(.zero, scheduler: MainScheduler.instance).subscribe(onNext: log.append)
      for element in 1...3 { source.onNext(element) }
    }
    scheduler.start()
    #expect(log.entries == [3])
  }

  @Test func `the completion emits the pending element at once`() throws {
    #expect(
      try marbles("ab|") { inputs, scheduler in
        inputs[0].debounce(.milliseconds(10), scheduler: scheduler)
      } == "--[b|]")
  }

  @Test func `an error drops the pending element`() throws {
    #expect(
      try marbles("a-#") { inputs, scheduler in
        inputs[0].debounce(.milliseconds(10), scheduler: scheduler)
      } == "--#")
  }

  @Test func `every element restarts the time`() throws {
    #expect(
      try marbles("a-b-c-----d-|") { inputs, scheduler in
        inputs[0].debounce(.milliseconds(3), scheduler: scheduler)
      } == "-------c----[d|]")
  }

  @Test func `a disposal drops the pending element`() {
    let source = scheduler.createHotObservable([Recorded<Event<Int>>.next(210, 1)])
    let result = scheduler.start(disposed: 215) { [scheduler] in
      source.debounce(.milliseconds(20), scheduler: scheduler)
    }
    #expect(result.events.isEmpty)
  }
}

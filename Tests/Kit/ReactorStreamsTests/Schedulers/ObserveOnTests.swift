import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct ObserveOnTests {
  @Test func `subscribe(on:) emits nothing after a disposal, before the scheduler executes it`() {
    let scheduler = VirtualTimeScheduler()
    let source = PublishSubject<Int>()
    let log = Log<Int>()
    let subscription = source.subscribe(on: scheduler).subscribe(onNext: { log.append($0) })
    scheduler.run()
    source.onNext(1)
    subscription.dispose()
    source.onNext(2)
    #expect(log.entries == [1])
    #expect(source.hasObservers)
    scheduler.run()
    #expect(!source.hasObservers)
  }

  let scheduler = TestScheduler()

  @Test func `each event is delivered a turn later, in order`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let result = scheduler.start { [scheduler] in source.observe(on: scheduler) }
    #expect(result.events == [.next(211, 1), .next(221, 2), .completed(231)])
    #expect(source.subscriptions == [Subscription(200, 231)])
  }

  @Test func `an error does not overtake elements`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(210, 2), .error(210), .next(220, 3),
    ])
    let result = scheduler.start { [scheduler] in source.observe(on: scheduler) }
    #expect(result.events == [.next(211, 1), .next(211, 2), .error(211)])
  }

  @Test func `pending events are not delivered after a disposal`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(300, 2)])
    let result = scheduler.start(disposed: 300) { [scheduler] in source.observe(on: scheduler) }
    #expect(result.events == [.next(211, 1)])
  }

  @Test func `a concurrent scheduler delivers one event at a time`() async {
    let log = Log<String>()
    let running = Log<Bool>()
    let (done, finish) = AsyncStream<Void>.makeStream()
    let subject = PublishSubject<Int>()
    let reached = PublishSubject<Void>()
    let isInside = AtomicSwitch()
    let subscription = subject.observe(on: TaskScheduler.instance).subscribe(
      onNext: { element in
        running.append(isInside.turn(on: true))
        if element == 0 {
          // The other events are sent while this one is being handled.
          reached.onNext(())
        }
        log.append("\(element)")
        _ = isInside.turn(on: false)
      },
      onCompleted: {
        running.append(isInside.turn(on: true))
        log.append("C")
        finish.finish()
      })
    let sending = reached.subscribe(onNext: {
      subject.onNext(1)
      subject.onCompleted()
    })
    subject.onNext(0)
    for await _ in done {}
    #expect(log.entries == ["0", "1", "C"])
    #expect(running.entries == [false, false, false])
    subscription.dispose()
    sending.dispose()
  }

  @Test func `subscribing on a scheduler subscribes and disposes a turn later`() {
    let source = scheduler.createHotObservable([.next(150, 1), .next(210, 2)])
    let result = scheduler.start { [scheduler] in source.subscribe(on: scheduler) }
    #expect(result.events == [.next(210, 2)])
    #expect(source.subscriptions == [Subscription(201, 1001)])
  }

  @Test func `a disposal before the turn prevents the subscription`() {
    let source = scheduler.createHotObservable([Recorded<Event<Int>>.next(210, 2)])
    let subscription = source.subscribe(on: scheduler).subscribe()
    subscription.dispose()
    scheduler.start()
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `a serial scheduler runs work in order`() async {
    let scheduler = SerialDispatchQueueScheduler(qos: .userInitiated)
    let log = Log<Int>()
    await withCheckedContinuation { continuation in
      for index in 0..<100 { scheduler.schedule(after: .zero) { log.append(index) } }
      scheduler.schedule(after: .zero) { continuation.resume() }
    }
    #expect(log.entries == Array(0..<100))
  }

  @Test func `the tasks of a scheduler deliver each element once and in order`() async throws {
    let source = Observable.from(0..<1000)
      .observe(on: ConcurrentDispatchQueueScheduler(qos: .background))
      .observe(on: SerialDispatchQueueScheduler(qos: .utility))
    var received: [Int] = []
    for try await element in source.values { received.append(element) }
    #expect(received == Array(0..<1000))
  }
}

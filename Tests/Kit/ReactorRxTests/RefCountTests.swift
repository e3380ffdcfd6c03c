import ReactorRx
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct RefCountTests {
  let scheduler = TestScheduler()

  @Test func `the creation of a subject can use the stream`() {
    let source = PublishSubject<Int>()
    let stream = Later<ConnectableObservable<Int>>()
    let isNested = AtomicSwitch()
    let log = Log<Int>()
    let shared = source.asObservable().multicast(makeSubject: { () -> PublishSubject<Int> in
      if !isNested.turn(on: true) { _ = stream.value?.subscribe(onNext: { log.append($0) }) }
      return PublishSubject()
    })
    stream.set(shared)
    let subscription = shared.subscribe(onNext: { log.append(-$0) })
    let connection = shared.connect()
    source.onNext(1)
    #expect(log.entries == [1, -1])
    subscription.dispose()
    connection.dispose()
  }

  @Test(arguments: [Event<Int>.completed, .error(TestError.test)])
  func `an observer after the source's end connects again`(_ end: Event<Int>) {
    let source = scheduler.createColdObservable([
      .next(10, 1), Recorded(time: 20, value: end),
    ])
    for shared in [source.publish().refCount(), source.replay(1).refCount()] {
      let first = scheduler.createObserver(Int.self)
      let second = scheduler.createObserver(Int.self)
      let start = scheduler.clock
      scheduler.scheduleAt(start + 100) { _ = shared.subscribe(first) }
      scheduler.scheduleAt(start + 200) { _ = shared.subscribe(second) }
      scheduler.start()
      #expect(first.events == [.next(start + 110, 1), Recorded(time: start + 120, value: end)])
      #expect(second.events == [.next(start + 210, 1), Recorded(time: start + 220, value: end)])
      #expect(
        source.subscriptions.suffix(2) == [
          Subscription(start + 100, start + 120), Subscription(start + 200, start + 220),
        ])
    }
  }

  @Test func `an observer that subscribes again at the error connects again`() {
    let attempts = Box(0)
    let source = Observable<Int>.deferred {
      attempts.withLock { $0 += 1 }
      return attempts.value < 3 ? .error(TestError.test) : .just(attempts.value)
    }
    let log = Log<Int>()
    _ = source.publish().refCount().retry().subscribe(onNext: log.append)
    #expect(log.entries == [3])
  }

  @Test func `an ended source is disposed of, and its end is replayed until the next connection`() {
    let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
    let shared = source.replay(1)
    let late = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(100) { _ = shared.connect() }
    scheduler.scheduleAt(150) { _ = shared.subscribe(late) }
    scheduler.start()
    #expect(source.subscriptions == [Subscription(100, 120)])
    #expect(late.events == [.next(150, 1), .completed(150)])
    _ = shared.connect()
    #expect(source.subscriptions.count == 2)
  }

  @Test func `refCount drops an event for an observer that another one disposes of`() {
    let source = PublishSubject<Int>()
    let stream = source.publish().refCount()
    let log = Log<Int>()
    let second = SingleAssignmentDisposable()
    let first = stream.subscribe(onNext: { element in
      log.append(element)
      second.dispose()
    })
    second.setDisposable(stream.subscribe(onNext: { log.append(-$0) }))
    source.onNext(1)
    #expect(log.entries == [1])
    first.dispose()
  }
}

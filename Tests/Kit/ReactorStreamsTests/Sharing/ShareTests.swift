import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct ShareTests {
  let scheduler = TestScheduler()

  /// Three observers: the first two overlap, the third one follows after both.
  struct Observers {
    let first: TestableObserver<Int>
    let second: TestableObserver<Int>
    let third: TestableObserver<Int>

    init(_ shared: Observable<Int>, _ scheduler: TestScheduler) {
      first = scheduler.record(shared, from: 200, until: 350)
      second = scheduler.record(shared, from: 300, until: 400)
      third = scheduler.record(shared, from: 500, until: 600)
    }
  }

  static let live: [Recorded<Event<Int>>] = [
    .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .next(250, 5), .next(320, 6),
    .next(550, 7),
  ]

  static func replayed(_ count: Int, at time: Int, endingWith last: Int) -> [Recorded<Event<Int>>] {
    (0..<count).map { .next(time, last + 1 - count + $0) }
  }

  @Test func `share has one subscription for simultaneous observers`() {
    let source = scheduler.createHotObservable(Self.live)
    let observers = Observers(source.share(), scheduler)
    scheduler.start()
    #expect(observers.first.elements == [1, 2, 3, 4, 5, 6])
    #expect(observers.second.events == [.next(320, 6)])
    #expect(observers.third.events == [.next(550, 7)])
    #expect(source.subscriptions == [Subscription(200, 400), Subscription(500, 600)])
  }

  @Test(arguments: 0..<5)
  func
    `with scope whileConnected, a later observer receives the replay, and a new connection starts empty`(
      count: Int
    )
  {
    let source = scheduler.createHotObservable(Self.live)
    let observers = Observers(
      source.share(replay: count, scope: .whileConnected), scheduler)
    scheduler.start()
    #expect(
      observers.second.events
        == Self.replayed(count, at: 300, endingWith: 5) + [.next(320, 6)])
    #expect(observers.third.events == [.next(550, 7)])
    #expect(source.subscriptions == [Subscription(200, 400), Subscription(500, 600)])
  }

  @Test(arguments: 0..<5)
  func `with scope forever, the replay outlasts the observers`(count: Int) {
    let source = scheduler.createHotObservable(Self.live)
    let observers = Observers(source.share(replay: count, scope: .forever), scheduler)
    scheduler.start()
    #expect(
      observers.third.events
        == Self.replayed(count, at: 500, endingWith: 6) + [.next(550, 7)])
    #expect(source.subscriptions == [Subscription(200, 400), Subscription(500, 600)])
  }

  static let ends: [Event<Int>] = [.error(TestError.test), .completed]

  static func ending(_ end: Event<Int>) -> [Recorded<Event<Int>>] {
    live.dropLast() + [Recorded(time: 330, value: end), .next(340, -1), .next(550, 7)]
  }

  /// Subscribes, and subscribes again at the stop event.
  func observeAgain(
    _ shared: Observable<Int>, from time: Int, until end: Int
  ) -> (before: TestableObserver<Int>, after: TestableObserver<Int>) {
    let before = scheduler.createObserver(Int.self)
    let after = scheduler.createObserver(Int.self)
    let subscription = SerialDisposable()
    scheduler.scheduleAt(time) {
      let first = shared.subscribe { event in
        before.on(event)
        if event.isStopEvent { subscription.disposable = shared.subscribe(after) }
      }
      if subscription.disposable == nil { subscription.disposable = first }
    }
    scheduler.scheduleAt(end) { subscription.dispose() }
    return (before, after)
  }

  @Test(arguments: ends)
  func `with scope whileConnected, an observer after the end starts a new connection`(
    end: Event<Int>
  ) {
    let source = scheduler.createHotObservable(Self.ending(end))
    let shared = source.share(replay: 1, scope: .whileConnected)
    let first = observeAgain(shared, from: 200, until: 350)
    let second = observeAgain(shared, from: 300, until: 400)
    let third = scheduler.record(shared, from: 500, until: 600)
    scheduler.start()
    #expect(first.before.events.last == Recorded(time: 330, value: end))
    #expect(first.after.events == [.next(340, -1)])
    #expect(second.after.events == [.next(340, -1)])
    #expect(third.events == [.next(550, 7)])
    #expect(
      source.subscriptions == [
        Subscription(200, 330), Subscription(330, 400), Subscription(500, 600),
      ])
  }

  @Test(arguments: ends)
  func `with scope forever, an observer after the end receives the replay and the end`(
    end: Event<Int>
  ) {
    let source = scheduler.createHotObservable(Self.ending(end))
    let shared = source.share(replay: 1, scope: .forever)
    let first = observeAgain(shared, from: 200, until: 350)
    let second = observeAgain(shared, from: 300, until: 400)
    let third = scheduler.record(shared, from: 500, until: 600)
    scheduler.start()
    let atTheEnd: [Recorded<Event<Int>>] = [.next(330, 6), Recorded(time: 330, value: end)]
    #expect(first.after.events == atTheEnd)
    #expect(second.after.events == atTheEnd)
    #expect(third.events == [.next(500, 6), Recorded(time: 500, value: end)])
    #expect(source.subscriptions == [Subscription(200, 330)])
  }

  @Test func `the first observer receives all elements of a synchronous source`() {
    let first = Log<Int>()
    let second = Log<Int>()
    let shared = Observable.of(1, 2, 3).share(replay: 1)
    _ = shared.subscribe(onNext: first.append, onCompleted: { first.append(-1) })
    _ = shared.subscribe(onNext: second.append, onCompleted: { second.append(-1) })
    #expect(first.entries == [1, 2, 3, -1])
    #expect(second.entries == [1, 2, 3, -1])
  }

  @Test func `an observer can cancel a synchronous source`() {
    let disposed = Log<String>()
    let source = Observable<Int>.create { observer in
      observer.onNext(1)
      return Disposables.create { disposed.append("source") }
    }
    _ = source.share().take(1).subscribe()
    #expect(disposed.entries == ["source"])
  }
}

import ReactorRx
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct ReplayTests {
  let scheduler = TestScheduler()

  @Test func `the source starts with connect, and a later observer receives the replay`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(220, 2), .next(330, 3), .next(340, 4), .next(450, 5),
    ])
    let replay = source.replay(2)
    let early = scheduler.record(replay, from: 200)
    let late = scheduler.record(replay, from: 400)
    let connection = SerialDisposable()
    scheduler.scheduleAt(215) { connection.disposable = replay.connect() }
    scheduler.scheduleAt(500) { connection.dispose() }
    scheduler.start()
    #expect(early.elements == [2, 3, 4, 5])
    #expect(late.events == [.next(400, 3), .next(400, 4), .next(450, 5)])
    #expect(source.subscriptions == [Subscription(215, 500)])
  }

  @Test func `connecting twice subscribes once`() {
    let source = scheduler.createHotObservable([Recorded<Event<Int>>.next(210, 1)])
    let replay = source.publish()
    _ = replay.connect()
    _ = replay.connect()
    #expect(source.subscriptions.count == 1)
  }

  @Test func `disconnecting sends no event, and a new connection starts empty`() {
    let subject = PublishSubject<Int>()
    let replay = subject.replay(1)
    let log = Log<String>()
    _ = replay.subscribe(onNext: { log.append("a\($0)") }, onCompleted: { log.append("end") })
    let connection = replay.connect()
    subject.onNext(1)
    connection.dispose()
    subject.onNext(2)
    _ = replay.subscribe(onNext: { log.append("b\($0)") })
    _ = replay.connect()
    subject.onNext(3)
    #expect(log.entries == ["a1", "b3"])
  }

  @Test func `an observer after the end receives the last element and the end`() {
    let subject = PublishSubject<Int>()
    let replay = subject.replay(1)
    let connection = replay.connect()
    subject.onNext(1)
    subject.onError(TestError.test)
    let late = scheduler.createObserver(Int.self)
    _ = replay.subscribe(late)
    #expect(late.events == [.next(0, 1), .error(0)])
    connection.dispose()
    let later = scheduler.createObserver(Int.self)
    _ = replay.subscribe(later)
    #expect(later.events == [.next(0, 1), .error(0)])
  }

  @Test func `refCount is connected while it has observers`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(320, 2), .next(430, 3)])
    let counted = source.replay(1).refCount()
    let first = scheduler.record(counted, from: 200, until: 250)
    let second = scheduler.record(counted, from: 240, until: 350)
    let third = scheduler.record(counted, from: 400, until: 500)
    scheduler.start()
    #expect(first.elements == [1])
    #expect(second.events == [.next(240, 1), .next(320, 2)])
    #expect(third.events == [.next(430, 3)])
    #expect(source.subscriptions == [Subscription(200, 350), Subscription(400, 500)])
  }

  @Test func `replayAll stores all elements`() {
    let replay = Observable.from(0..<100).replayAll()
    _ = replay.connect()
    let log = Log<Int>()
    _ = replay.subscribe(onNext: log.append)
    #expect(log.entries == Array(0..<100))
  }
}

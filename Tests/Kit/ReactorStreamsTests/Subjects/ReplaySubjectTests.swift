import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct ReplaySubjectTests {
  let scheduler = TestScheduler()

  @Test(arguments: [nil, Event<Int>.completed, .error(TestError.test)])
  func `a replay subject of three elements replays them, then the end`(end: Event<Int>?) {
    let subject = ReplaySubject<Int>.create(bufferSize: 3)
    for element in 1...5 { subject.onNext(element) }
    if let end { subject.on(end) }
    let observer = scheduler.createObserver(Int.self)
    _ = subject.subscribe(observer)
    let elements: [Recorded<Event<Int>>] = [.next(0, 3), .next(0, 4), .next(0, 5)]
    #expect(observer.events == elements + (end.map { [Recorded(time: 0, value: $0)] } ?? []))
  }

  @Test func `an unbounded replay subject replays all elements`() {
    let subject = ReplaySubject<Int>.createUnbounded()
    for element in 0..<1000 { subject.onNext(element) }
    let log = Log<Int>()
    _ = subject.subscribe(onNext: log.append)
    #expect(log.entries == Array(0..<1000))
  }

  @Test func `a replay subject of size 0 replays nothing`() {
    let subject = ReplaySubject<Int>.create(bufferSize: 0)
    subject.onNext(1)
    let log = Log<Int>()
    _ = subject.subscribe(onNext: log.append)
    #expect(log.entries.isEmpty)
  }

  @Test func `a disposed replay subject replays nothing`() {
    let subject = ReplaySubject<Int>.create(bufferSize: 3)
    subject.onNext(1)
    subject.dispose()
    let observer = scheduler.createObserver(Int.self)
    _ = subject.subscribe(observer)
    #expect(observer.events == [.error(0, RxError.disposed)])
  }
}

import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct BehaviorSubjectTests {
  let scheduler = TestScheduler()

  func feed(_ script: [Recorded<Event<Int>>]) -> (
    TestableObserver<Int>, TestableObserver<Int>, TestableObserver<Int>
  ) {
    let subject = BehaviorSubject(value: 100)
    let source = scheduler.createHotObservable(script)
    scheduler.scheduleAt(200) { _ = source.subscribe(subject) }
    let first = scheduler.record(subject, from: 300, until: 600)
    let second = scheduler.record(subject, from: 400, until: 700)
    let third = scheduler.record(subject, from: 900, until: 950)
    scheduler.start()
    return (first, second, third)
  }

  let elements: [Recorded<Event<Int>>] = [
    .next(220, 3), .next(270, 4), .next(340, 5), .next(410, 6), .next(520, 7), .next(630, 8),
    .next(710, 9), .next(870, 10), .next(940, 11),
  ]

  @Test func `an observer first receives the current value`() {
    let (first, second, third) = feed(elements)
    #expect(first.events == [.next(300, 4), .next(340, 5), .next(410, 6), .next(520, 7)])
    #expect(second.events == [.next(400, 5), .next(410, 6), .next(520, 7), .next(630, 8)])
    #expect(third.events == [.next(900, 10), .next(940, 11)])
  }

  @Test(arguments: [Event<Int>.completed, .error(TestError.test)])
  func `after the end, an observer receives only the end`(end: Event<Int>) {
    let (first, second, third) = feed(
      elements.filter { $0.time < 630 } + [
        Recorded(time: 630, value: end), .next(640, 9), .completed(650),
      ])
    #expect(first.events == [.next(300, 4), .next(340, 5), .next(410, 6), .next(520, 7)])
    #expect(
      second.events == [
        .next(400, 5), .next(410, 6), .next(520, 7), Recorded(time: 630, value: end),
      ])
    #expect(third.events == [Recorded(time: 900, value: end)])
  }

  @Test func `value() throws the error, or disposed`() throws {
    let failed = BehaviorSubject(value: 1)
    failed.onNext(2)
    #expect(try failed.value() == 2)
    failed.onError(TestError("gone"))
    #expect(throws: TestError("gone")) { try failed.value() }

    let disposed = BehaviorSubject(value: 1)
    disposed.dispose()
    #expect(throws: RxError.disposed) { try disposed.value() }
  }

  @Test func `the value after a completion is the last one`() throws {
    let subject = BehaviorSubject(value: 1)
    subject.onCompleted()
    subject.onNext(2)
    #expect(try subject.value() == 1)
  }

  @Test func `the value is the last sent one, also while its delivery is pending`() {
    let subject = BehaviorSubject(value: 0)
    let log = Log<String>()
    _ = subject.subscribe(onNext: { element in
      if element == 1 {
        subject.onNext(2)
        log.append("value \((try? subject.value()) ?? -1)")
      }
      log.append("got \(element)")
    })
    subject.onNext(1)
    #expect(log.entries == ["got 0", "value 2", "got 1", "got 2"])
  }

  @Test
  func
    `an observer that is subscribed by another one receives its replay before subscribe returns`()
  {
    let subject = BehaviorSubject(value: 0)
    let log = Log<String>()
    _ = subject.subscribe(onNext: { element in
      log.append("a\(element)")
      guard element == 1 else { return }
      _ = subject.subscribe(onNext: { log.append("b\($0)") })
      log.append("subscribed")
    })
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries == ["a0", "a1", "b1", "subscribed", "a2", "b2"])
  }

  @Test func `an observer that subscribes while events are pending receives the newest value once`()
  {
    let subject = BehaviorSubject(value: 0)
    let log = Log<Int>()
    _ = subject.subscribe(onNext: { element in
      guard element == 1 else { return }
      subject.onNext(2)
      _ = subject.subscribe(onNext: log.append)
    })
    subject.onNext(1)
    subject.onNext(3)
    #expect(log.entries == [2, 3])
  }
}

import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct ZipTests {
  let scheduler = TestScheduler()

  @Test func `elements at the same place are combined`() {
    let first = scheduler.createHotObservable([
      .next(210, 1), .next(220, 2), .next(230, 3), .completed(300),
    ])
    let second = scheduler.createHotObservable([
      .next(225, 10), .next(240, 20), .completed(250),
    ])
    let result = scheduler.start { Observable.zip(first, second) { $0 + $1 } }
    #expect(result.events == [.next(225, 11), .next(240, 22), .completed(300)])
  }

  @Test func `an element that nothing can be combined with completes the stream`() {
    let first = scheduler.createHotObservable([.next(210, 1), .completed(220)])
    let second = scheduler.createHotObservable([.next(225, 10), .next(240, 20)])
    let result = scheduler.start { Observable.zip(first, second) { $0 + $1 } }
    #expect(result.events == [.next(225, 11), .completed(240)])
  }

  @Test func `an error fails the stream`() {
    let first = scheduler.createHotObservable([.next(210, 1), .next(215, 2)])
    let second = scheduler.createHotObservable([Recorded<Event<Int>>.error(225)])
    let result = scheduler.start { Observable.zip(first, second) { $0 + $1 } }
    #expect(result.events == [.error(225)])
    #expect(first.subscriptions == [Subscription(200, 225)])
  }

  @Test func `synchronous streams are paired`() {
    let log = Log<String>()
    _ = Observable.zip(Observable.of(1, 2, 3), Observable.of("a", "b")) { "\($0)\($1)" }
      .subscribe(onNext: log.append)
    #expect(log.entries == ["1a", "2b"])
  }

  @Test func `three, four and any number of streams are combined`() {
    let log = Log<String>()
    let one = Observable.just(1)
    _ = Observable.zip(one, one, one).subscribe(onNext: { log.append("\($0)") })
    _ = Observable.zip(one, one, one, one).subscribe(onNext: { log.append("\($0)") })
    _ = Observable.zip([one, one]).subscribe(onNext: { log.append("\($0)") })
    #expect(log.entries == ["(1, 1, 1)", "(1, 1, 1, 1)", "[1, 1]"])
    let none = scheduler.start { Observable.zip([Observable<Int>]()) }
    #expect(none.events == [.completed(200)])
  }
}

import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct FlatMapTests {
  let scheduler = TestScheduler()
  let sources: [String: TestableObservable<Int>]
  let outer: TestableObservable<String>

  init() {
    outer = scheduler.createHotObservable([
      .next(300, "P"), .next(400, "Q"), .next(550, "R"), .next(750, "S"), .next(850, "T"),
      .completed(900),
    ])
    sources = [
      "P": scheduler.createColdObservable([
        .next(10, 102), .next(90, 103), .next(110, 104), .next(190, 105), .next(440, 106),
        .completed(460),
      ]),
      "failing P": scheduler.createColdObservable([
        .next(10, 102), .next(90, 103), .next(110, 104), .next(190, 105), .next(440, 106),
        .error(460),
      ]),
      "Q": scheduler.createColdObservable([.next(180, 202), .next(190, 203), .completed(205)]),
      "R": scheduler.createColdObservable([
        .next(10, 301), .next(50, 302), .next(70, 303), .next(260, 304), .next(310, 305),
        .completed(410),
      ]),
      "S": scheduler.createColdObservable([.completed(40)]),
      "T": scheduler.createColdObservable([.next(80, 401), .next(90, 402), .completed(100)]),
    ]
  }

  func inner(_ name: String) throws -> TestableObservable<Int> {
    try #require(sources[name])
  }

  @Test func `inner streams are active simultaneously`() throws {
    let result = scheduler.start { [outer, sources] in
      outer.flatMap { sources[$0]?.asObservable() ?? .never() }
    }
    #expect(
      result.events == [
        .next(310, 102), .next(390, 103), .next(410, 104), .next(490, 105), .next(560, 301),
        .next(580, 202), .next(590, 203), .next(600, 302), .next(620, 303), .next(740, 106),
        .next(810, 304), .next(860, 305), .next(930, 401), .next(940, 402), .completed(960),
      ])
    #expect(outer.subscriptions == [Subscription(200, 900)])
    #expect(try inner("Q").subscriptions == [Subscription(400, 605)])
  }

  @Test func `an inner error fails the result, and later inner streams do not start`() throws {
    let result = scheduler.start { [outer, sources] in
      outer.flatMap { sources[$0 == "P" ? "failing P" : $0]?.asObservable() ?? .never() }
    }
    #expect(result.events.suffix(2) == [.next(740, 106), .error(760)])
    #expect(try inner("R").subscriptions == [Subscription(550, 760)])
    #expect(try inner("T").subscriptions.isEmpty)
  }

  @Test func `flatMapFirst drops elements while an inner stream is active`() throws {
    let result = scheduler.start { [outer, sources] in
      outer.flatMapFirst { sources[$0]?.asObservable() ?? .never() }
    }
    #expect(
      result.events == [
        .next(310, 102), .next(390, 103), .next(410, 104), .next(490, 105), .next(740, 106),
        .next(930, 401), .next(940, 402), .completed(950),
      ])
    for name in ["Q", "R", "S"] { #expect(try inner(name).subscriptions.isEmpty) }
  }

  @Test func `flatMapFirst does not call its closure for dropped elements`() {
    let called = Log<String>()
    _ = scheduler.start { [outer, sources] in
      outer.flatMapFirst { name in
        called.append(name)
        return sources[name]?.asObservable() ?? .never()
      }
    }
    #expect(called.entries == ["P", "T"])
  }

  @Test func `concatMap calls its closure when the previous inner stream has completed`() {
    let begun = Log<Int>()
    let result = scheduler.start { [scheduler, outer, sources] in
      outer.concatMap { name in
        begun.append(scheduler.clock)
        return sources[name]?.asObservable() ?? .never()
      }
    }
    #expect(begun.entries == [300, 760, 965])
    #expect(
      result.events.suffix(3) == [.next(940, 202), .next(950, 203), .next(975, 301)])
  }

  @Test func `a selector that throws fails the stream`() {
    let result = scheduler.start { [outer] in
      outer.flatMap { name -> Observable<Int> in
        guard name != "Q" else { throw TestError("Q") }
        return .just(1)
      }
    }
    #expect(result.events == [.next(300, 1), .error(400, TestError("Q"))])
    #expect(outer.subscriptions == [Subscription(200, 400)])
  }

  @Test func `flatMap accepts every type that converts to an observable`() {
    let log = Log<Int>()
    let relay = BehaviorRelay(value: 7)
    _ = Observable.of(1).flatMap { Single.just($0) }.subscribe(onNext: log.append)
    _ = Observable.of(1).flatMapLatest { _ in relay }.subscribe(onNext: log.append)
    _ = Observable.of(1).concatMap { _ in .of(8, 9) }.subscribe(onNext: log.append)
    #expect(log.entries == [1, 7, 8, 9])
  }

  @Test func `ten thousand inner streams that complete at once do not recurse`() {
    let count = Log<Int>()
    let gate = PublishSubject<Int>()
    let source = Observable.concat([
      Observable.just(gate.asObservable()),
      Observable.from((0..<10_000).map { Observable.create(emitting: $0) }),
    ])
    _ = source.concatMap { $0 }.subscribe(onNext: count.append)
    #expect(count.entries.isEmpty)
    gate.onCompleted()
    #expect(count.entries == Array(0..<10_000))
  }
}

extension Observable {
  /// A stream that operators must subscribe to, unlike `just`.
  static func create(emitting element: Element) -> Observable<Element> {
    .create { observer in
      observer.onNext(element)
      observer.onCompleted()
      return Disposables.create()
    }
  }
}

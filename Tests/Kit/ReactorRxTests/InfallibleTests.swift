import ReactorRx
import ReactorTesting
import StreamTestSupport
import Testing

/// An operator of an ``Infallible`` beside the same operator of an ``Observable``.
private struct Pair: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let infallible: @Sendable (Infallible<Int>, TestScheduler) -> Infallible<Int>
  let observable: @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>

  init(
    _ name: String,
    _ infallible: @escaping @Sendable (Infallible<Int>, TestScheduler) -> Infallible<Int>,
    _ observable: @escaping @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>
  ) {
    testDescription = name
    self.infallible = infallible
    self.observable = observable
  }

  static let all = elements + inner + combined + timed

  private static let elements = [
    Pair("map", { source, _ in source.map { $0 * 2 } }, { source, _ in source.map { $0 * 2 } }),
    Pair(
      "compactMap", { source, _ in source.compactMap { $0 > 1 ? $0 : nil } },
      { source, _ in source.compactMap { $0 > 1 ? $0 : nil } }),
    Pair(
      "filter", { source, _ in source.filter { $0 > 1 } }, { source, _ in source.filter { $0 > 1 } }
    ),
    Pair(
      "distinctUntilChanged", { source, _ in source.distinctUntilChanged() },
      { source, _ in source.distinctUntilChanged() }),
    Pair(
      "distinctUntilChanged, a key", { source, _ in source.distinctUntilChanged { $0 / 2 } },
      { source, _ in source.distinctUntilChanged { $0 / 2 } }),
    Pair(
      "distinctUntilChanged, a comparison",
      { source, _ in source.distinctUntilChanged { $0 < $1 } },
      { source, _ in source.distinctUntilChanged { $0 < $1 } }),
    Pair(
      "distinctUntilChanged, a key and a comparison",
      { source, _ in source.distinctUntilChanged({ $0 / 2 }, comparer: { $0 == $1 }) },
      { source, _ in source.distinctUntilChanged({ $0 / 2 }, comparer: { $0 == $1 }) }),
    Pair(
      "distinctUntilChanged(at:)", { source, _ in source.distinctUntilChanged(at: \.bitWidth) },
      { source, _ in source.distinctUntilChanged(at: \.bitWidth) }),
    Pair(
      "scan", { source, _ in source.scan(10) { $0 + $1 } },
      { source, _ in source.scan(10) { $0 + $1 } }),
    Pair(
      "scan(into:)", { source, _ in source.scan(into: 10) { $0 += $1 } },
      { source, _ in source.scan(into: 10) { $0 += $1 } }),
    Pair("startWith", { source, _ in source.startWith(9) }, { source, _ in source.startWith(9) }),
    Pair("take", { source, _ in source.take(2) }, { source, _ in source.take(2) }),
    Pair(
      "take(while:)", { source, _ in source.take(while: { $0 < 3 }) },
      { source, _ in source.take(while: { $0 < 3 }) }),
    Pair(
      "take(until:), a predicate",
      { source, _ in source.take(until: { $0 == 2 }, behavior: TakeBehavior.inclusive) },
      { source, _ in source.take(until: { $0 == 2 }, behavior: .inclusive) }),
    Pair("skip", { source, _ in source.skip(1) }, { source, _ in source.skip(1) }),
    Pair(
      "skip(while:)", { source, _ in source.skip(while: { $0 < 2 }) },
      { source, _ in source.skip(while: { $0 < 2 }) }),
    Pair(
      "share", { source, _ in source.share(replay: 1) }, { source, _ in source.share(replay: 1) }),
    Pair("do", { source, _ in source.do() }, { source, _ in source.do() }),
    Pair(
      "withUnretained",
      { source, scheduler in source.withUnretained(scheduler).map { $0.1 } },
      { source, scheduler in source.withUnretained(scheduler).map { $0.1 } }),
  ]

  private static let inner = [
    Pair(
      "flatMap", { source, _ in source.flatMap { .of($0, $0) } },
      { source, _ in source.flatMap { .of($0, $0) } }),
    Pair(
      "flatMapLatest", { source, _ in source.flatMapLatest { .of($0, $0) } },
      { source, _ in source.flatMapLatest { .of($0, $0) } }),
    Pair(
      "flatMapFirst", { source, _ in source.flatMapFirst { .of($0, $0) } },
      { source, _ in source.flatMapFirst { .of($0, $0) } }),
    Pair(
      "concatMap", { source, _ in source.concatMap { .of($0, $0) } },
      { source, _ in source.concatMap { .of($0, $0) } }),
    Pair(
      "deferred", { source, _ in .deferred { source } }, { source, _ in .deferred { source } }),
  ]

  private static let combined = [
    Pair(
      "concat", { source, _ in source.concat(.just(9)) },
      { source, _ in source.concat(Observable.just(9)) }),
    Pair(
      "concat of several", { source, _ in .concat(.just(8), source, .empty()) },
      { source, _ in .concat(.just(8), source, .empty()) }),
    Pair(
      "merge", { source, _ in .merge(source, .just(9), .never()) },
      { source, _ in .merge(source, .just(9), .never()) }),
    Pair(
      "combineLatest", { source, _ in .combineLatest(source, Infallible.of(10, 20)) { $0 + $1 } },
      { source, _ in .combineLatest(source, Observable.of(10, 20)) { $0 + $1 } }),
    Pair(
      "combineLatest, tuples",
      { source, _ in Infallible.combineLatest(source, Infallible.just("a")).map { $0.0 } },
      { source, _ in Observable.combineLatest(source, Observable.just("a")).map { $0.0 } }),
    Pair(
      "combineLatest, a collection",
      { source, _ in .combineLatest([source, Infallible.just(5)]) { $0.reduce(0, +) } },
      { source, _ in .combineLatest([source, Observable.just(5)]) { $0.reduce(0, +) } }),
    Pair(
      "zip", { source, _ in .zip(source, Infallible.of(10, 20)) { $0 + $1 } },
      { source, _ in .zip(source, Observable.of(10, 20)) { $0 + $1 } }),
    Pair(
      "zip, tuples",
      { source, _ in Infallible.zip(source, Infallible.of("a", "b")).map { $0.0 } },
      { source, _ in Observable.zip(source, Observable.of("a", "b")).map { $0.0 } }),
    Pair(
      "withLatestFrom", { source, _ in source.withLatestFrom(Infallible.just(5)) { $0 + $1 } },
      { source, _ in source.withLatestFrom(Observable.just(5)) { $0 + $1 } }),
    Pair(
      "take(until:)", { source, _ in source.take(until: Infallible<Int>.never()) },
      { source, _ in source.take(until: Observable<Int>.never()) }),
    Pair(
      "skip(until:)", { source, _ in source.skip(until: Infallible.just(1)) },
      { source, _ in source.skip(until: Observable.just(1)) }),
  ]

  private static let timed = [
    Pair(
      "debounce", { source, scheduler in source.debounce(.milliseconds(15), scheduler: scheduler) },
      { source, scheduler in source.debounce(.milliseconds(15), scheduler: scheduler) }),
    Pair(
      "throttle", { source, scheduler in source.throttle(.milliseconds(15), scheduler: scheduler) },
      { source, scheduler in source.throttle(.milliseconds(15), scheduler: scheduler) }),
    Pair(
      "delay", { source, scheduler in source.delay(.milliseconds(15), scheduler: scheduler) },
      { source, scheduler in source.delay(.milliseconds(15), scheduler: scheduler) }),
    Pair(
      "take(for:)",
      { source, scheduler in source.take(for: .milliseconds(15), scheduler: scheduler) },
      { source, scheduler in source.take(for: .milliseconds(15), scheduler: scheduler) }),
    Pair(
      "observe(on:)", { source, scheduler in source.observe(on: scheduler) },
      { source, scheduler in source.observe(on: scheduler) }),
    Pair(
      "subscribe(on:)", { source, scheduler in source.subscribe(on: scheduler) },
      { source, scheduler in source.subscribe(on: scheduler) }),
    Pair(
      "just, a scheduler", { _, scheduler in .just(4, scheduler: scheduler) },
      { _, scheduler in .just(4, scheduler: scheduler) }),
    Pair(
      "from, a scheduler", { _, scheduler in .from([4, 5], scheduler: scheduler) },
      { _, scheduler in .from([4, 5], scheduler: scheduler) }),
  ]
}

@Suite(.ownSerialContext) struct InfallibleTests {
  @Test(arguments: Pair.all)
  fileprivate func `an operator has the result of the same operator of an observable`(
    _ pair: Pair
  ) {
    func events(_ stream: (Observable<Int>, TestScheduler) -> Observable<Int>)
      -> [Recorded<Event<Int>>]
    {
      let scheduler = TestScheduler()
      let source = scheduler.createHotObservable([
        .next(210, 1), .next(220, 2), .next(250, 2), .next(260, 3), .completed(300),
      ])
      let observer = scheduler.record(stream(source.asObservable(), scheduler), from: 200)
      scheduler.start()
      return observer.events
    }
    let expected = events(pair.observable)
    let actual = events { source, scheduler in
      pair.infallible(source.asInfallible(onErrorJustReturn: -1), scheduler).asObservable()
    }
    #expect(!expected.isEmpty)
    #expect(actual == expected)
  }

  @Test func `an error is replaced`() throws {
    let failing = Observable.of(1).concat(Observable<Int>.error(TestError.test))
    func elements(_ stream: Infallible<Int>) throws -> [Int] {
      try stream.asObservable().toBlocking().toArray()
    }
    #expect(try elements(failing.asInfallible(onErrorJustReturn: 2)) == [1, 2])
    #expect(try elements(failing.asInfallible(onErrorFallbackTo: .of(3, 4))) == [1, 3, 4])
    #expect(try elements(failing.asInfallible { _ in .empty() }) == [1])
  }

  @Test func `created by a closure and observed by closures, an observer and a driver`() {
    let log = Log<String>()
    final class Owner: Sendable {}
    let owner = Owner()
    let stream = Infallible<Int>.create {
      (observer: @escaping Infallible<Int>.InfallibleObserver) in
      observer(InfallibleEvent.next(1))
      observer(.completed)
      return Disposables.create()
    }
    _ = stream.subscribe(
      onNext: { log.append("\($0)") }, onCompleted: { log.append("completed") },
      onDisposed: { log.append("disposed") })
    _ = stream.subscribe { log.append("\($0)") }
    _ = stream.subscribe(with: owner, onNext: { log.append("\($0 === owner) \($1)") })
    _ = stream.asDriver().drive(onNext: { log.append("driver \($0)") })
    _ = stream.bind { log.append("bound \($0)") }
    #expect(
      log.entries == [
        "1", "completed", "disposed", "next(1)", "completed", "true 1", "driver 1", "bound 1",
      ])
  }

  @Test func `relays and shared sequences convert to one`() {
    func first(_ stream: some InfallibleType<Int>) -> [Int] {
      let log = Log<Int>()
      _ = stream.asInfallible().subscribe(onNext: log.append)
      return log.entries
    }
    #expect(first(BehaviorRelay(value: 4).asInfallible()) == [4])
    #expect(first(Driver.just(5).asInfallible()) == [5])
  }

  @Test func `the values do not throw`() async {
    var elements: [Int] = []
    for await element in Infallible.of(3, 4).values { elements.append(element) }
    #expect(elements == [3, 4])
  }
}

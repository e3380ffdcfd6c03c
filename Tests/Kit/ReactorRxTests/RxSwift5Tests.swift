import ReactorRx
import ReactorTesting
import Testing

/// A name of RxSwift 5 beside today's.
private struct Renamed: Sendable, CustomTestStringConvertible {
  typealias Apply = @Sendable (Observable<Int>, Observable<Int>, TestScheduler) -> Observable<Int>

  let testDescription: String
  let old: Apply
  let new: Apply

  init(_ name: String, _ old: @escaping Apply, _ new: @escaping Apply) {
    testDescription = name
    self.old = old
    self.new = new
  }

  static let all = [
    Renamed(
      "catchError", { source, other, _ in source.catchError { _ in other } },
      { source, other, _ in source.catch { _ in other } }),
    Renamed(
      "catchErrorJustReturn", { source, _, _ in source.catchErrorJustReturn(7) },
      { source, _, _ in source.catchAndReturn(7) }),
    Renamed(
      "retryWhen", { source, _, _ in source.retryWhen { $0.take(1) } },
      { source, _, _ in source.retry { (errors: Observable<any Error>) in errors.take(1) } }),
    Renamed(
      "observeOn", { source, _, scheduler in source.observeOn(scheduler) },
      { source, _, scheduler in source.observe(on: scheduler) }),
    Renamed(
      "subscribeOn", { source, _, scheduler in source.subscribeOn(scheduler) },
      { source, _, scheduler in source.subscribe(on: scheduler) }),
    Renamed(
      "takeUntil", { source, other, _ in source.takeUntil(other) },
      { source, other, _ in source.take(until: other) }),
    Renamed(
      "takeUntil, a predicate",
      { source, _, _ in source.takeUntil(.inclusive) { $0 == 2 } },
      { source, _, _ in source.take(until: { $0 == 2 }, behavior: .inclusive) }),
    Renamed(
      "takeWhile", { source, _, _ in source.takeWhile { $0 < 2 } },
      { source, _, _ in source.take(while: { $0 < 2 }) }),
    Renamed(
      "skipUntil", { source, other, _ in source.skipUntil(other) },
      { source, other, _ in source.skip(until: other) }),
    Renamed(
      "skipWhile", { source, _, _ in source.skipWhile { $0 < 2 } },
      { source, _, _ in source.skip(while: { $0 < 2 }) }),
    Renamed(
      "elementAt", { source, _, _ in source.elementAt(1) },
      { source, _, _ in source.element(at: 1) }),
    Renamed(
      "catchError, single",
      { source, _, _ in source.asSingle().catchError { _ in .just(7) }.asObservable() },
      { source, _, _ in source.asSingle().catch { _ in .just(7) }.asObservable() }),
    Renamed(
      "catchErrorJustReturn, single",
      { source, _, _ in source.asSingle().catchErrorJustReturn(7).asObservable() },
      { source, _, _ in source.asSingle().catchAndReturn(7).asObservable() }),
    Renamed(
      "catchErrorJustReturn, maybe",
      { source, _, _ in source.asMaybe().catchErrorJustReturn(7).asObservable() },
      { source, _, _ in source.asMaybe().catchAndReturn(7).asObservable() }),
    Renamed(
      "observeOn, subscribeOn and retryWhen, single",
      { source, _, scheduler in
        source.asSingle().observeOn(scheduler).subscribeOn(scheduler).retryWhen { $0.take(1) }
          .asObservable()
      },
      { source, _, scheduler in
        source.asSingle().observe(on: scheduler).subscribe(on: scheduler)
          .retry { (errors: Observable<any Error>) in errors.take(1) }.asObservable()
      }),
  ]
}

@Suite struct RxSwift5Tests {
  @Test(arguments: Renamed.all)
  fileprivate func `an old name does what today's does`(_ renamed: Renamed) {
    func events(_ apply: Renamed.Apply) -> [Recorded<Event<Int>>] {
      let scheduler = TestScheduler()
      let source = scheduler.createHotObservable([
        .next(210, 1), .next(230, 2), .next(250, 3), .error(260),
      ])
      let other = scheduler.createHotObservable([.next(240, 9), .next(270, 8), .completed(280)])
      let observer = scheduler.record(
        apply(source.asObservable(), other.asObservable(), scheduler), from: 200)
      scheduler.start()
      return observer.events
    }
    let expected = events(renamed.new)
    #expect(!expected.isEmpty)
    #expect(events(renamed.old) == expected)
  }

  @Test func `moments and durations have RxSwift's names`() {
    let scheduler: any ImmediateSchedulerType = TestScheduler(initialClock: 100)
    let start: RxTime = scheduler.now
    let delay: RxTimeInterval = .milliseconds(20)
    #expect(start + delay == .milliseconds(120))
  }
}

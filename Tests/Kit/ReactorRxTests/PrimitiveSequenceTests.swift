import ReactorRx
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct PrimitiveSequenceTests {
  private func materialized<Element: Sendable & Equatable>(
    _ stream: some ObservableConvertibleType<Element>
  ) throws -> [Event<Element>] {
    try stream.asObservable().materialize().toBlocking().toArray()
  }

  @Test func `a maybe has an element, none, or an error`() throws {
    let some = Maybe<Int>.create { observe in
      observe(.success(1))
      observe(.success(2))
      return Disposables.create()
    }
    #expect(try materialized(some) == [.next(1), .completed])
    let none = Maybe<Int>.create { observe in
      observe(.completed)
      return Disposables.create()
    }
    #expect(try materialized(none) == [.completed])
    #expect(try materialized(Maybe<Int>.error(TestError.test)) == [.error(TestError.test)])
  }

  @Test func `subscribers of a maybe and a completable receive one result`() {
    let log = Log<String>()
    _ = Maybe.just(1).subscribe { log.append("\($0)") }
    _ = Maybe<Int>.empty().subscribe { log.append("\($0)") }
    _ = Completable.empty().subscribe { log.append("\($0)") }
    _ = Completable.error(TestError.test).subscribe(onError: { log.append("\($0)") })
    #expect(log.entries == ["success(1)", "completed", "completed", "TestError(test)"])
  }

  @Test func `conversions between the traits`() throws {
    #expect(try materialized(Single.just(1).asMaybe()) == [.next(1), .completed])
    #expect(try materialized(Single.just(1).asCompletable()) == [.completed])
    #expect(try materialized(Single.just(1).filter { $0 > 1 }) == [.completed])
    #expect(try materialized(Maybe<Int>.empty().ifEmpty(default: 2)) == [.next(2), .completed])
    #expect(
      try materialized(Maybe<Int>.empty().ifEmpty(switchTo: Single.just(3))) == [
        .next(3), .completed,
      ])
    #expect(
      try materialized(Single.just(1).flatMapMaybe { _ in Maybe<Int>.empty() }) == [
        .completed
      ])
    #expect(
      try materialized(Single.just(1).flatMapCompletable { _ in .error(TestError.test) }) == [
        .error(TestError.test)
      ])
    #expect(try materialized(Observable<Int>.empty().asMaybe()) == [.completed])
    #expect(
      try materialized(Observable.of(1, 2).asMaybe()) == [
        .error(RxError.moreThanOneElement)
      ])
  }

  @Test func `zip of three singles, and of any number`() throws {
    let zipped = Single.zip(Single.just(1), .just("a"), .just(true)) { "\($0)\($1)\($2)" }
    #expect(try materialized(zipped) == [.next("1atrue"), .completed])
    let list = Single.zip([Single.just(1), .just(2), .just(3)])
    #expect(try materialized(list) == [.next([1, 2, 3]), .completed])
  }

  @Test func `a completable is followed by another stream only if it completes`() throws {
    #expect(
      try materialized(Completable.empty().andThen(Single.just(1))) == [
        .next(1), .completed,
      ])
    #expect(
      try materialized(Completable.error(TestError.test).andThen(Single.just(1))) == [
        .error(TestError.test)
      ])
    #expect(
      try materialized(Completable.empty().andThen(Observable.of(1, 2))) == [
        .next(1), .next(2), .completed,
      ])
  }

  @Test func `completables run one after the other, or at the same time`() {
    let scheduler = TestScheduler()
    let first = scheduler.createColdObservable([Recorded<Event<Never>>.completed(10)])
    let second = scheduler.createColdObservable([Recorded<Event<Never>>.completed(20)])
    let sequential = scheduler.record(
      Completable.concat(first.asCompletable(), second.asCompletable()), from: 100)
    let simultaneous = scheduler.record(
      Completable.zip(first.asCompletable(), second.asCompletable()), from: 200)
    scheduler.start()
    #expect(sequential.events == [.completed(130)])
    #expect(simultaneous.events == [.completed(220)])
  }
}

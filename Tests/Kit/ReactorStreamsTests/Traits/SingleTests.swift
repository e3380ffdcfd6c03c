import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct SingleTests {
  let scheduler = TestScheduler()

  @Test func `only the first result counts`() {
    let log = Log<String>()
    let single = Single<Int>.create { result in
      result(.success(1))
      result(.success(2))
      result(.failure(TestError.test))
      return Disposables.create { log.append("disposed") }
    }
    _ = single.subscribe(
      onSuccess: { log.append("\($0)") }, onFailure: { log.append("\($0)") })
    #expect(log.entries == ["1", "disposed"])
  }

  @Test func `error() fails with its error`() {
    let log = Log<String>()
    _ = Single<Int>.error(TestError.test).subscribe { log.append("\($0)") }
    #expect(log.entries == ["failure(TestError(test))"])
  }

  @Test func `a single as an observable completes after its element`() {
    let result = scheduler.start { Single.just(1).map { $0 + 1 } }
    #expect(result.events == [.next(200, 2), .completed(200)])
  }

  @Test func `the operators of a single`() async throws {
    #expect(try await Single.just(1).flatMap { .just($0 + 1) }.value == 2)
    #expect(try await Single<Int>.error(TestError.test).catchAndReturn(3).value == 3)
    #expect(try await Single<Int>.error(TestError.test).catch { _ in .just(4) }.value == 4)
    #expect(try await Single.zip(.just(1), .just("a")) { "\($0)\($1)" }.value == "1a")
    #expect(try await Single.run { 5 }.value == 5)
    #expect(try await Single.deferred { .just(6) }.value == 6)
    await #expect(throws: TestError.test) { try await Single<Int>.error(TestError.test).value }
  }

  @Test func `retry starts the work again`() {
    let attempts = Log<Int>()
    let single = Single<Int>.create { result in
      attempts.append(1)
      result(attempts.entries.count < 3 ? .failure(TestError.test) : .success(7))
      return Disposables.create()
    }
    let log = Log<Int>()
    _ = single.retry(5).subscribe(onSuccess: log.append)
    #expect(log.entries == [7])
    #expect(attempts.entries.count == 3)
  }

  @Test func `from a stream: one, none and two elements`() {
    let one = scheduler.record(Observable.of(1).asSingle(), from: 200)
    let none = scheduler.record(Observable<Int>.empty().asSingle(), from: 200)
    let two = scheduler.record(Observable.of(1, 2).asSingle(), from: 200)
    scheduler.start()
    #expect(one.events == [.next(200, 1), .completed(200)])
    #expect(none.events == [.error(200, RxError.noElements)])
    #expect(two.events == [.error(200, RxError.moreThanOneElement)])
  }

  @Test func `first and toArray are singles`() async throws {
    #expect(try await Observable.of(1, 2).first().value == 1)
    #expect(try await Observable<Int>.empty().first().value == nil)
    #expect(try await Observable.of(1, 2).toArray().value == [1, 2])
  }

  @Test func `a timeout fails a single`() {
    let result = scheduler.start { [scheduler] in
      Single<Int>.never().timeout(.milliseconds(50), scheduler: scheduler)
    }
    #expect(result.events == [.error(250, RxError.timeout)])
  }
}

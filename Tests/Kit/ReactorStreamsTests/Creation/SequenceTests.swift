import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct SequenceTests {
  @Test func `a range, also an empty one and one that overflows`() throws {
    #expect(try Observable.range(start: 3, count: 3).toBlocking().toArray() == [3, 4, 5])
    #expect(try Observable.range(start: 3, count: 0).toBlocking().toArray().isEmpty)
    #expect(try Observable<UInt8>.range(start: 255, count: 1).toBlocking().toArray() == [255])
    for (start, count) in [(Int.max, 2), (0, -1)] {
      #expect(throws: RxError.argumentOutOfRange) {
        try Observable.range(start: start, count: count).toBlocking().toArray()
      }
    }
  }

  @Test func `a scheduler emits one element per step`() {
    let scheduler = TestScheduler()
    let result = scheduler.start { Observable.range(start: 1, count: 2, scheduler: scheduler) }
    #expect(result.events == [.next(201, 1), .next(202, 2), .completed(203)])
    let again = TestScheduler()
    let loop = again.start {
      Observable.generate(initialState: 1, condition: { $0 < 3 }, scheduler: again) { $0 + 1 }
    }
    #expect(loop.events == [.next(201, 1), .next(202, 2), .completed(203)])
  }

  @Test func `a resource is disposed of when the stream ends, and when a factory throws`() {
    let log = Log<String>()
    let resource: @Sendable () -> SerialDisposable = {
      let resource = SerialDisposable()
      resource.disposable = Disposables.create { log.append("disposed") }
      return resource
    }
    _ = Observable<Int>.using(resource) { _ in .just(1) }
      .subscribe(onNext: { log.append("\($0)") }, onCompleted: { log.append("completed") })
    #expect(log.entries == ["1", "completed", "disposed"])
    _ = Observable<Int>.using(resource) { _ in throw TestError.test }
      .subscribe(onError: { log.append("\($0)") })
    #expect(log.entries.suffix(2) == ["TestError(test)", "disposed"])
  }

  @Test func `materialize and dematerialize are inverse`() throws {
    let events = try Observable.of(1, 2).materialize().toBlocking().toArray()
    #expect(events == [.next(1), .next(2), .completed])
    let failing = Observable<Int>.error(TestError.test).materialize()
    #expect(try failing.toBlocking().toArray() == [.error(TestError.test)])
    #expect(throws: TestError.test) { try failing.dematerialize().toBlocking().toArray() }
  }

  @Test func `catch(sequence:) uses the first stream that does not fail`() throws {
    let streams = [Observable<Int>.error(TestError.test), .of(1, 2), .of(3)]
    #expect(try Observable.catch(sequence: streams).toBlocking().toArray() == [1, 2])
    #expect(throws: TestError("last")) {
      try Observable.catch(sequence: [.of(1).concat(Observable.error(TestError("last")))])
        .toBlocking().toArray()
    }
  }

  @Test func `ifEmpty(switchTo:), reduce(mapResult:) and toBlocking emit as in RxSwift`() throws {
    #expect(try Observable<Int>.empty().ifEmpty(switchTo: .of(1, 2)).toBlocking().last() == 2)
    #expect(try Observable.of(3).ifEmpty(switchTo: .of(1, 2)).toBlocking().first() == 3)
    let sum = Observable.of(1, 2, 3).reduce(0, accumulator: +) { "\($0)" }
    #expect(try sum.toBlocking().single() == "6")
    #expect(throws: RxError.moreThanOneElement) { try Observable.of(1, 2).toBlocking().single() }
    #expect(throws: RxError.timeout) {
      try Observable<Int>.never().toBlocking(timeout: .milliseconds(1)).first()
    }
  }

  @Test func `a replay relay sends its stored elements`() {
    let log = Log<Int>()
    let relay = ReplayRelay<Int>.create(bufferSize: 2)
    for element in 1...3 { relay.accept(element) }
    let subscription = relay.subscribe(onNext: log.append)
    relay.accept(4)
    subscription.dispose()
    relay.accept(5)
    #expect(log.entries == [2, 3, 4])
  }

  @Test func `an error without a handler is passed to the hook`() {
    let log = Log<String>()
    let previous = Hooks.defaultErrorHandler
    let handler: Hooks.DefaultErrorHandler = { _, error in log.append("\(error)") }
    Hooks.defaultErrorHandler = handler
    _ = Observable<Int>.error(TestError("unhandled")).subscribe(onNext: { _ in })
    _ = Observable<Int>.error(TestError("handled")).subscribe(onError: { _ in })
    Hooks.defaultErrorHandler = previous
    #expect(log.entries.contains("TestError(unhandled)"))
    #expect(!log.entries.contains("TestError(handled)"))
  }
}

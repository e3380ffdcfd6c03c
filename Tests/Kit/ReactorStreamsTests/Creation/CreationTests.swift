import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct CreationTests {
  let scheduler = TestScheduler()

  @Test func `just, of, from, empty, never and error emit their events`() {
    let just = scheduler.record(Observable.just(1), from: 200)
    let of = scheduler.record(Observable.of(1, 2), from: 200)
    let from = scheduler.record(Observable.from([1, 2].lazy.map { $0 * 2 }), from: 200)
    let some = scheduler.record(Observable.from(optional: 1), from: 200)
    let none = scheduler.record(Observable<Int>.from(optional: nil), from: 200)
    let empty = scheduler.record(Observable<Int>.empty(), from: 200)
    let never = scheduler.record(Observable<Int>.never(), from: 200)
    let error = scheduler.record(Observable<Int>.error(TestError.test), from: 200)
    scheduler.start()
    #expect(just.events == [.next(200, 1), .completed(200)])
    #expect(of.events == [.next(200, 1), .next(200, 2), .completed(200)])
    #expect(from.elements == [2, 4])
    #expect(some.events == just.events)
    #expect(none.events == [.completed(200)])
    #expect(empty.events == [.completed(200)])
    #expect(never.events.isEmpty)
    #expect(error.events == [.error(200)])
  }

  @Test func `a deferred stream is created for each subscription`() {
    let made = Log<Int>()
    let deferred = Observable<Int>.deferred { [scheduler] in
      made.append(scheduler.clock)
      return .just(scheduler.clock)
    }
    let first = scheduler.record(deferred, from: 200)
    let second = scheduler.record(deferred, from: 300)
    let failing = scheduler.record(
      Observable<Int>.deferred { throw TestError.test }, from: 400)
    scheduler.start()
    #expect(made.entries == [200, 300])
    #expect(first.elements == [200])
    #expect(second.elements == [300])
    #expect(failing.events == [.error(400)])
  }

  @Test func `after a disposal nothing arrives, and the producer is disposed of once`() {
    let log = Log<String>()
    let producer = Later<AnyObserver<Int>>()
    let source = Observable<Int>.create { observer in
      producer.set(observer)
      return Disposables.create { log.append("disposed source") }
    }
    let subscription = source.subscribe(
      onNext: { log.append("\($0)") }, onError: { _ in log.append("error") },
      onCompleted: { log.append("completed") }, onDisposed: { log.append("disposed") })
    producer.value?.onNext(1)
    subscription.dispose()
    subscription.dispose()
    producer.value?.onNext(2)
    producer.value?.onError(TestError.test)
    producer.value?.onCompleted()
    #expect(log.entries == ["1", "disposed source", "disposed"])
  }

  @Test func `after the end nothing arrives, and the producer is disposed of`() {
    let log = Log<String>()
    _ = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onCompleted()
      observer.onNext(2)
      observer.onError(TestError.test)
      return Disposables.create { log.append("disposed source") }
    }.subscribe(
      onNext: { log.append("\($0)") }, onError: { _ in log.append("error") },
      onCompleted: { log.append("completed") }, onDisposed: { log.append("disposed") })
    #expect(log.entries == ["1", "completed", "disposed", "disposed source"])
  }

  @Test func `an interval counts from zero and keeps its period`() {
    let result = scheduler.start(disposed: 350) { [scheduler] in
      Observable<Int>.interval(.milliseconds(40), scheduler: scheduler)
    }
    #expect(result.events == [.next(240, 0), .next(280, 1), .next(320, 2)])
  }

  @Test func `an interval with a period of zero emits in each turn`() {
    let result = scheduler.start(disposed: 204) { [scheduler] in
      Observable<Int>.interval(.zero, scheduler: scheduler)
    }
    #expect(result.events == [.next(201, 0), .next(202, 1), .next(203, 2)])
  }

  @Test func `an interval wraps around after its type's maximum`() {
    let result = scheduler.start(disposed: 1000) { [scheduler] in
      Observable<Int8>.interval(.milliseconds(1), scheduler: scheduler)
    }
    #expect(result.elements.count == 799)
    #expect(result.elements[127...128] == [127, -128])
  }

  @Test func `a timer emits once, or repeatedly with a period`() {
    let once = scheduler.record(
      Observable<Int>.timer(.milliseconds(30), scheduler: scheduler), from: 200)
    let periodic = scheduler.record(
      Observable<Int>.timer(
        .milliseconds(30), period: .milliseconds(50), scheduler: scheduler),
      from: 200, until: 300)
    scheduler.start()
    #expect(once.events == [.next(230, 0), .completed(230)])
    #expect(periodic.events == [.next(230, 0), .next(280, 1)])
  }

  @Test func `the elements, the return and the error of an async closure`() async throws {
    let fine = Observable<Int>.run { send in
      send(1)
      await Task.yield()
      send(2)
    }
    #expect(try await fine.toArray().value == [1, 2])
    let failing = Observable<Int>.run { _ in throw TestError.test }
    await #expect(throws: TestError.test) { try await failing.toArray().value }
  }

  @Test func `disposing cancels an async closure`() async {
    let (began, begin) = AsyncStream<Void>.makeStream()
    let (ended, end) = AsyncStream<Bool>.makeStream()
    let subscription = Observable<Int>.run { _ in
      begin.finish()
      try? await Task.sleep(for: .seconds(3600))
      end.yield(Task.isCancelled)
      end.finish()
    }.subscribe()
    for await _ in began {}
    subscription.dispose()
    for await isCancelled in ended { #expect(isCancelled) }
  }

  @Test func `an asynchronous sequence as a stream, and back`() async throws {
    let (sequence, continuation) = AsyncStream<Int>.makeStream()
    for element in 0..<5 { continuation.yield(element) }
    continuation.finish()
    var received: [Int] = []
    for try await element in Observable.from(sequence).map({ $0 * 2 }).values {
      received.append(element)
    }
    #expect(received == [0, 2, 4, 6, 8])
  }

  @Test func `values throws the error, and leaving the loop ends the subscription`() async {
    let subject = ReplaySubject<Int>.createUnbounded()
    subject.onNext(1)
    do {
      for try await element in subject.values where element == 1 { break }
      #expect(!subject.hasObservers)
    } catch {
      Issue.record(error)
    }
    subject.onError(TestError.test)
    await #expect(throws: TestError.test) { for try await _ in subject.values {} }
  }
}

import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

private struct OfflineError: Error, Equatable {
  let seconds: Int
}

@Suite struct CatchTests {
  let scheduler = TestScheduler()

  @Test func `catchErrorJustReturn emits one last element and does not start again`() {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(0)])
    let atOnce = scheduler.start { Observable<Int>.error(TestError.test).catchErrorJustReturn(7) }
    #expect(atOnce.events == [.next(200, 7), .completed(200)])
    let later = TestScheduler().start { Observable.just(1).catchAndReturn(7) }
    #expect(later.events == [.next(200, 1), .completed(200)])
    let fresh = TestScheduler()
    let failing = fresh.createColdObservable([.next(10, 1), .error(20), .next(30, 2)])
    #expect(
      fresh.start { failing.catchAndReturn(7) }.events == [
        .next(210, 1), .next(220, 7), .completed(220),
      ])
    #expect(failing.subscriptions == [Subscription(200, 220)])
    #expect(source.subscriptions.isEmpty)
  }

  @Test func `a failed stream is continued by another one`() {
    let first = scheduler.createHotObservable([.next(210, 2), .next(220, 3), .error(230)])
    let second = scheduler.createHotObservable([.next(240, 4), .completed(250)])
    let called = Log<Int>()
    let result = scheduler.start { [scheduler] in
      first.catch { _ in
        called.append(scheduler.clock)
        return second.asObservable()
      }
    }
    #expect(
      result.events == [.next(210, 2), .next(220, 3), .next(240, 4), .completed(250)])
    #expect(called.entries == [230])
    #expect(first.subscriptions == [Subscription(200, 230)])
    #expect(second.subscriptions == [Subscription(230, 250)])
  }

  @Test func `a handler that throws fails the stream`() {
    let source = scheduler.createHotObservable([.next(210, 2), .error(230)])
    let result = scheduler.start { source.catch { _ in throw TestError("e1") } }
    #expect(result.events == [.next(210, 2), .error(230, TestError("e1"))])
  }

  @Test func `an error of the continuation passes through`() {
    let source = scheduler.createHotObservable([Recorded<Event<Int>>.error(230)])
    let result = scheduler.start { source.catch { _ in .error(TestError("second")) } }
    #expect(result.events == [.error(230, TestError("second"))])
  }

  @Test func `a closure for a type of errors receives those with their type`() throws {
    let offline = Observable<Int>.error(OfflineError(seconds: 3))
    let caught = offline.catch { (error: OfflineError) in .just(error.seconds) }
    #expect(try caught.toBlocking().toArray() == [3])
    let single = Single<Int>.error(OfflineError(seconds: 4))
      .catch { (error: OfflineError) in .just(error.seconds) }
    #expect(try single.toBlocking().toArray() == [4])
  }

  @Test func `an error of another type passes a closure for a type of errors`() {
    let other = Observable<Int>.error(TestError.test)
    let caught = other.catch { (error: OfflineError) in .just(error.seconds) }
    #expect(throws: TestError.test) { try caught.toBlocking().toArray() }
    let single = Single<Int>.error(TestError.test)
      .catch { (error: OfflineError) in .just(error.seconds) }
    #expect(throws: TestError.test) { try single.toBlocking().toArray() }
  }

  @Test func `a closure without a type of errors receives any error`() throws {
    let caught = Observable<Int>.error(TestError.test).catch { error in
      error is TestError ? .just(1) : .just(2)
    }
    #expect(try caught.toBlocking().toArray() == [1])
  }
}

import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct DoTests {
  let log = Log<String>()

  @Test func `closures are called before and after each event`() {
    _ = Observable.of(1).do(
      onNext: { [log] in log.append("onNext \($0)") },
      afterNext: { [log] in log.append("afterNext \($0)") },
      onCompleted: { [log] in log.append("onCompleted") },
      afterCompleted: { [log] in log.append("afterCompleted") },
      onSubscribe: { [log] in log.append("onSubscribe") },
      onSubscribed: { [log] in log.append("onSubscribed") },
      onDispose: { [log] in log.append("onDispose") }
    ).subscribe(
      onNext: { [log] in log.append("next \($0)") },
      onCompleted: { [log] in log.append("completed") })
    #expect(
      log.entries == [
        "onSubscribe", "onSubscribed", "onNext 1", "next 1", "afterNext 1", "onCompleted",
        "completed", "afterCompleted", "onDispose",
      ])
  }

  @Test func `onDispose follows onSubscribed if the source ends during the subscription`() {
    let loading = BehaviorRelay(value: false)
    let subscription = Observable.just(1).do(
      onSubscribed: { [log] in
        log.append("subscribed")
        loading.accept(true)
      },
      onDispose: { [log] in
        log.append("disposed")
        loading.accept(false)
      }
    ).subscribe(onCompleted: { [log] in log.append("completed") })
    #expect(log.entries == ["completed", "subscribed", "disposed"])
    #expect(loading.value == false)
    subscription.dispose()
    #expect(log.entries.count == 3)
  }

  @Test func `an error is reported before and after it is forwarded`() {
    _ = Observable<Int>.error(TestError.test).do(
      onError: { [log] in log.append("on \($0)") },
      afterError: { [log] in log.append("after \($0)") }
    ).subscribe(onError: { [log] in log.append("error \($0)") })
    #expect(
      log.entries == ["on TestError(test)", "error TestError(test)", "after TestError(test)"])
  }

  @Test func `a closure that throws fails the stream`() {
    let scheduler = TestScheduler()
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
    let result = scheduler.start {
      source.do(onNext: { if $0 == 2 { throw TestError.test } })
    }
    #expect(result.events == [.next(210, 1), .error(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test func `onDispose is called once`() {
    let subscription = Observable<Int>.never().do(onDispose: { [log] in log.append("disposed") })
      .subscribe()
    subscription.dispose()
    subscription.dispose()
    #expect(log.entries == ["disposed"])
  }

  @Test func `debug prints all events`() {
    let long = String(repeating: "x", count: 100)
    _ = Observable.of("a", long).debug("here", trimOutput: true, write: log.append).subscribe()
    #expect(
      log.entries == [
        "here -> subscribed", "here -> Event next(a)",
        "here -> Event next(\(long.prefix(20))...\(long.suffix(20)))",
        "here -> Event completed", "here -> isDisposed",
      ])
  }
}

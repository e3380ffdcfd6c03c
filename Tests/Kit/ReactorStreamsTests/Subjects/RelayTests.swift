import ReactorStreams
import StreamTestSupport
import Testing

@Suite struct RelayTests {
  @Test func `a behavior relay has a value and sends each one`() {
    let relay = BehaviorRelay(value: 1)
    let log = Log<Int>()
    _ = relay.subscribe(onNext: log.append)
    relay.accept(2)
    #expect(relay.value == 2)
    relay.accept(3)
    #expect(log.entries == [1, 2, 3])
  }

  @Test func `a behavior relay of optionals also emits nil`() {
    let relay = BehaviorRelay<Int?>(value: nil)
    let log = Log<Int?>()
    _ = relay.subscribe(onNext: log.append)
    relay.accept(1)
    relay.accept(nil)
    #expect(relay.value == nil)
    #expect(log.entries == [nil, 1, nil])
  }

  @Test func `a publish relay sends later elements`() {
    let relay = PublishRelay<Int>()
    let log = Log<Int>()
    relay.accept(1)
    _ = relay.subscribe(onNext: log.append)
    relay.accept(2)
    #expect(log.entries == [2])
  }

  @Test func `the end of a bound stream does not end the relay`() {
    let relay = PublishRelay<Int>()
    let log = Log<Int>()
    _ = relay.subscribe(onNext: log.append, onCompleted: { log.append(-1) })
    _ = Observable.of(1, 2).bind(to: relay)
    relay.accept(3)
    #expect(log.entries == [1, 2, 3])
  }

  @Test func `a relay releases a removed observer`() {
    let relay = PublishRelay<Int>()
    let subscription = relay.subscribe(onNext: { _ in })
    #expect(relay.hasObservers)
    subscription.dispose()
    #expect(!relay.hasObservers)
  }
}

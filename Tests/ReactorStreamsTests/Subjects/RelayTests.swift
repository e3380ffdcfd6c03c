import ReactorStreams
import Testing

@Suite struct RelayTests {
  @Test func `a behavior relay has a value and tells each`() {
    let relay = BehaviorRelay(value: 1)
    let log = Log<Int>()
    _ = relay.subscribe(onNext: log.append)
    relay.accept(2)
    #expect(relay.value == 2)
    relay.accept(3)
    #expect(log.entries == [1, 2, 3])
  }

  @Test func `a behavior relay with an optional tells none too`() {
    let relay = BehaviorRelay<Int?>(value: nil)
    let log = Log<Int?>()
    _ = relay.subscribe(onNext: log.append)
    relay.accept(1)
    relay.accept(nil)
    #expect(relay.value == nil)
    #expect(log.entries == [nil, 1, nil])
  }

  @Test func `a publish relay tells what comes after`() {
    let relay = PublishRelay<Int>()
    let log = Log<Int>()
    relay.accept(1)
    _ = relay.subscribe(onNext: log.append)
    relay.accept(2)
    #expect(log.entries == [2])
  }

  @Test func `the end of what is bound to a relay does not end it`() {
    let relay = PublishRelay<Int>()
    let log = Log<Int>()
    _ = relay.subscribe(onNext: log.append, onCompleted: { log.append(-1) })
    _ = Observable.of(1, 2).bind(to: relay)
    relay.accept(3)
    #expect(log.entries == [1, 2, 3])
  }

  @Test func `a relay lets go of one who leaves`() {
    let relay = PublishRelay<Int>()
    let subscription = relay.subscribe(onNext: { _ in })
    #expect(relay.hasObservers)
    subscription.dispose()
    #expect(!relay.hasObservers)
  }
}

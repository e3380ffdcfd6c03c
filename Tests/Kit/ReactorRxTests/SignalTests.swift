import ReactorRx
import ReactorTesting
import StreamTestSupport
import Testing

@Suite(.ownSerialContext) struct SignalTests {
  let scheduler = TestScheduler()

  @Test func `a signal shares without a replay and replaces an error`() {
    let source = scheduler.createColdObservable([
      .next(10, 0), .next(20, 1), .next(30, 2), .next(40, 3), .error(50),
    ])
    let signal = source.asSignal(onErrorJustReturn: -1).asObservable()
    let observers = [(200, 235), (225, 260), (260, 285)].map {
      scheduler.record(signal, from: $0.0, until: $0.1)
    }
    scheduler.start()
    #expect(observers[0].events == [.next(210, 0), .next(220, 1), .next(230, 2)])
    #expect(
      observers[1].events == [
        .next(230, 2), .next(240, 3), .next(250, -1), .completed(250),
      ])
    #expect(observers[2].events == [.next(270, 0), .next(280, 1)])
    #expect(source.subscriptions == [Subscription(200, 250), Subscription(260, 285)])
  }

  @Test func `a signal recovers with another`() {
    let source = scheduler.createHotObservable([.next(210, 1), .error(230)])
    let first = scheduler.record(source.asSignal(onErrorSignalWith: .just(-1)), from: 200)
    let second = scheduler.record(source.asSignal { _ in .empty() }, from: 200)
    scheduler.start()
    #expect(first.elements == [1, -1])
    #expect(second.elements == [1])
  }

  @Test func `a publish relay's signal emits to a relay`() {
    let clicks = PublishRelay<Int>()
    let count = BehaviorRelay(value: 0)
    let subscription = clicks.asSignal().emit(to: count)
    clicks.accept(5)
    #expect(count.value == 5)
    subscription.dispose()
    clicks.accept(6)
    #expect(count.value == 5)
  }
}

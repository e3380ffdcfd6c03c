import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Synchronization
import Testing

/// A context that reports whether it is executing work.
private final class MarkedContext: SerialContext {
  @TaskLocal static var isInside = false
  private let queue = SerialQueue<@Sendable () -> Void>()

  var isCurrent: Bool {
    queue.isOwnedByCurrentThread
  }

  func enqueue(_ work: @escaping @Sendable () -> Void) {
    queue.post(work) { work in Self.$isInside.withValue(true) { work() } }
  }
}

@Suite(.ownSerialContext) struct ControlTests {
  @Test func `the changes of a property do not include the current value`() {
    let behind = BehaviorSubject(value: 0)
    let property = ControlProperty(values: behind, valueSink: behind)
    let log = Log<Int>()
    let subscription = property.changed.subscribe(onNext: log.append)
    #expect(log.entries.isEmpty)
    property.onNext(1)
    #expect(log.entries == [1])
    subscription.dispose()
    property.onNext(2)
    #expect(log.entries == [1])
  }

  @Test func `orEmpty replaces nil in both directions`() throws {
    let behind = BehaviorSubject<String?>(value: nil)
    let property = ControlProperty(values: behind, valueSink: behind).orEmpty
    let log = Log<String>()
    _ = property.subscribe(onNext: log.append)
    property.onNext("a")
    #expect(log.entries == ["", "a"])
    #expect(try behind.value() == "a")
  }

  @Test func `a stop event that is sent to a property has no effect`() throws {
    let behind = BehaviorSubject(value: 0)
    let property = ControlProperty(values: behind, valueSink: behind)
    property.onError(TestError.test)
    property.onCompleted()
    property.onNext(1)
    #expect(try behind.value() == 1)
  }

  @Test
  func `an event is subscribed to in the session's context, wherever subscribe is called`() {
    let log = Log<Bool>()
    let events = Observable<Int>.create { observer in
      log.append(MarkedContext.isInside)
      observer.onNext(1)
      return Disposables.create()
    }
    let event = ControlEvent(events: events)
    CurrentSerialContext.$value.withValue(MarkedContext()) { _ = event.subscribe() }
    #expect(log.entries == [true])
  }

  @Test func `an event has no first element and completes with its owner`() {
    let taps = PublishSubject<Int>()
    let event = ControlEvent(events: taps)
    let log = Log<String>()
    _ = event.asDriver().drive(
      onNext: { log.append("\($0)") }, onCompleted: { log.append("completed") })
    #expect(log.entries.isEmpty)
    taps.onNext(1)
    taps.onCompleted()
    #expect(log.entries == ["1", "completed"])
  }
}

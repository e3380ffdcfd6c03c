public import ReactorStreams
internal import Synchronization

/// An observer that records events with their ticks.
public final class TestableObserver<Element: Sendable>: ObserverType {
  private let scheduler: TestScheduler
  private let recorded = Mutex<[Recorded<Event<Element>>]>([])

  init(scheduler: TestScheduler) {
    self.scheduler = scheduler
  }

  /// The recorded events.
  public var events: [Recorded<Event<Element>>] {
    recorded.withLock { $0 }
  }

  /// The recorded elements, without their ticks.
  public var elements: [Element] {
    events.compactMap { record in
      if case .next(let element) = record.value { element } else { nil }
    }
  }

  /// Records an event.
  public func on(_ event: Event<Element>) {
    let record = Recorded(time: scheduler.clock, value: event)
    recorded.withLock { $0.append(record) }
  }
}

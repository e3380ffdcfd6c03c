public import ReactorStreams
internal import Synchronization

/// A stream with scripted events, which records its subscriptions.
///
/// It does not enforce the grammar of events, so that a test can violate it.
public final class TestableObservable<Element: Sendable>: ObservableType {
  /// The scripted events.
  public let recordedEvents: [Recorded<Event<Element>>]

  private struct State {
    var observers: [(index: Int, observer: any ObserverType<Element>)] = []
    var subscriptions: [Subscription] = []
  }

  private let scheduler: TestScheduler
  private let isHot: Bool
  private let state = Mutex(State())

  private init(
    _ events: [Recorded<Event<Element>>], scheduler: TestScheduler, isHot: Bool
  ) {
    recordedEvents = events
    self.scheduler = scheduler
    self.isHot = isHot
  }

  static func hot(
    _ events: [Recorded<Event<Element>>], on scheduler: TestScheduler
  ) -> TestableObservable {
    let observable = TestableObservable(events, scheduler: scheduler, isHot: true)
    for event in events {
      scheduler.scheduleAt(event.time) { observable.emit(event.value) }
    }
    return observable
  }

  static func cold(
    _ events: [Recorded<Event<Element>>], on scheduler: TestScheduler
  ) -> TestableObservable {
    TestableObservable(events, scheduler: scheduler, isHot: false)
  }

  /// The subscriptions, in the order of their start.
  public var subscriptions: [Subscription] {
    state.withLock { $0.subscriptions }
  }

  /// Adds an observer.
  ///
  /// - Returns: A disposable that removes the observer.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    let index = state.withLock { state in
      let index = state.subscriptions.count
      state.subscriptions.append(Subscription(scheduler.clock))
      if isHot { state.observers.append((index, observer)) }
      return index
    }
    let script = CompositeDisposable()
    if !isHot {
      for event in recordedEvents {
        script.insert(
          scheduler.schedule(after: scheduler.duration(ofTicks: event.time)) {
            observer.on(event.value)
          })
      }
    }
    return Disposables.create { [self] in
      script.dispose()
      leave(index)
    }
  }

  private func emit(_ event: Event<Element>) {
    for (_, observer) in state.withLock({ $0.observers }) { observer.on(event) }
  }

  private func leave(_ index: Int) {
    let now = scheduler.clock
    state.withLock { state in
      state.observers.removeAll { $0.index == index }
      guard state.subscriptions.indices.contains(index) else { return }
      state.subscriptions[index] = Subscription(state.subscriptions[index].subscribe, now)
    }
  }
}

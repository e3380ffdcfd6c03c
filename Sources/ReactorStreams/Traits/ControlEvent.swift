/// A stream of events of something that is shown: a tap, a selection.
public protocol ControlEventType<Element>: ObservableType {
  /// This as a ``ControlEvent``.
  func asControlEvent() -> ControlEvent<Element>
}

/// What a control tells.
///
/// It has no initial element, does not fail, completes when its control goes away, and is subscribed
/// to in the session's serial context. Whoever makes one keeps these promises but the last.
public struct ControlEvent<PropertyType: Sendable>: ControlEventType {
  private let events: Observable<PropertyType>

  /// Wraps the events of a control.
  public init(events: some ObservableType<PropertyType>) {
    self.events = events.subscribe(on: ConcurrentMainScheduler.instance)
  }

  /// Adds an observer.
  ///
  /// - Returns: What takes it out again.
  public func subscribe(_ observer: any ObserverType<PropertyType>) -> any Disposable {
    events.subscribe(observer)
  }

  /// This as an ``Observable``.
  public func asObservable() -> Observable<PropertyType> {
    events
  }

  /// This.
  public func asControlEvent() -> ControlEvent<PropertyType> {
    self
  }

  /// This as a ``Driver``.
  public func asDriver() -> Driver<PropertyType> {
    Driver(events) { _ in .empty() }
  }

  /// This as a ``Signal``.
  public func asSignal() -> Signal<PropertyType> {
    Signal(events) { _ in .empty() }
  }
}

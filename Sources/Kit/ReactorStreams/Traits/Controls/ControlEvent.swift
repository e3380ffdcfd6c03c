/// A type that converts to a ``ControlEvent``.
public protocol ControlEventType<Element>: ObservableType {
  /// Returns this value as a ``ControlEvent``.
  func asControlEvent() -> ControlEvent<Element>
}

/// The events of a control, such as taps.
///
/// It has no initial element, never fails, and completes when its control is deallocated; the
/// creator must ensure this. It is subscribed to in the session's serial context.
public struct ControlEvent<PropertyType: Sendable>: ControlEventType {
  private let events: Observable<PropertyType>

  /// Wraps the events of a control.
  public init(events: some ObservableType<PropertyType>) {
    self.events = events.subscribe(on: ConcurrentMainScheduler.instance)
  }

  /// Adds an observer.
  ///
  /// - Returns: A disposable that removes the observer.
  public func subscribe(_ observer: any ObserverType<PropertyType>) -> any Disposable {
    events.subscribe(observer)
  }

  /// Returns these events as an ``Observable``.
  public func asObservable() -> Observable<PropertyType> {
    events
  }

  /// Returns these events.
  public func asControlEvent() -> ControlEvent<PropertyType> {
    self
  }

  /// Returns these events as a ``Driver``.
  public func asDriver() -> Driver<PropertyType> {
    events.asDriver(onErrorDriveWith: .empty())
  }
}

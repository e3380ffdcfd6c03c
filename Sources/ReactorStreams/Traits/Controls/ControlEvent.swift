/// A type that converts to a ``ControlEvent``.
public protocol ControlEventType<Element>: ObservableType {
  /// This value as a ``ControlEvent``.
  func asControlEvent() -> ControlEvent<Element>
}

/// The events of a control, such as taps.
///
/// It has no initial element, never fails, completes when its control is deallocated, and is
/// subscribed to in the session's serial context. The creator is responsible for all of these but the
/// last.
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

  /// These events as an ``Observable``.
  public func asObservable() -> Observable<PropertyType> {
    events
  }

  /// These events.
  public func asControlEvent() -> ControlEvent<PropertyType> {
    self
  }

  /// These events as a ``Driver``.
  public func asDriver() -> Driver<PropertyType> {
    events.asDriver(onErrorDriveWith: .empty())
  }

  /// These events as a ``Signal``.
  public func asSignal() -> Signal<PropertyType> {
    events.asSignal(onErrorSignalWith: .empty())
  }
}

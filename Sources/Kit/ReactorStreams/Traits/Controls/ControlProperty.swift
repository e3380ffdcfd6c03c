/// A type that converts to a ``ControlProperty``.
public protocol ControlPropertyType<Element>: ObservableType, ObserverType {
  /// Returns this value as a ``ControlProperty``.
  func asControlProperty() -> ControlProperty<Element>
}

/// The value of a control, which a user can change and a program can set.
///
/// An observer first receives the current value, then the user's changes, but not values that a
/// program sets. The property never fails, and completes when its control is deallocated; the
/// creator must ensure all of this. It is subscribed to in the session's serial context.
public struct ControlProperty<PropertyType: Sendable>: ControlPropertyType {
  private let values: Observable<PropertyType>
  private let valueSink: AnyObserver<PropertyType>

  /// Creates a property from the stream of its values and the observer that sets them.
  public init(
    values: some ObservableType<PropertyType>, valueSink: some ObserverType<PropertyType>
  ) {
    self.values = values.subscribe(on: ConcurrentMainScheduler.instance)
    self.valueSink = valueSink.asObserver()
  }

  /// Adds an observer.
  ///
  /// - Returns: A disposable that removes the observer.
  public func subscribe(_ observer: any ObserverType<PropertyType>) -> any Disposable {
    values.subscribe(observer)
  }

  /// The user's changes, without the current value.
  public var changed: ControlEvent<PropertyType> {
    ControlEvent(events: values.skip(1))
  }

  /// Returns the values as an ``Observable``.
  public func asObservable() -> Observable<PropertyType> {
    values
  }

  /// Returns this property.
  public func asControlProperty() -> ControlProperty<PropertyType> {
    self
  }

  /// Returns the values as a ``Driver``.
  public func asDriver() -> Driver<PropertyType> {
    values.asDriver(onErrorDriveWith: .empty())
  }

  /// Sets a value; a stop event has no effect.
  public func on(_ event: Event<PropertyType>) {
    if case .next = event { valueSink.on(event) }
  }
}

extension ControlPropertyType where Element == String? {
  /// This property with an empty string in place of `nil`.
  public var orEmpty: ControlProperty<String> {
    let original = asControlProperty()
    return ControlProperty(
      values: original.map { $0 ?? "" },
      valueSink: AnyObserver<String> { event in
        if case .next(let text) = event { original.on(.next(text)) }
      })
  }
}

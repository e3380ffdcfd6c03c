/// A value of something that is shown, which can be observed and set.
public protocol ControlPropertyType<Element>: ObservableType, ObserverType {
  /// This as a ``ControlProperty``.
  func asControlProperty() -> ControlProperty<Element>
}

/// A value that a control shows and its user changes.
///
/// An observer gets the current value first and then what the *user* changes, not what is set by
/// program. It does not fail, completes when its control goes away, and is subscribed to in the
/// session's serial context. Whoever makes one keeps these promises but the last.
public struct ControlProperty<PropertyType: Sendable>: ControlPropertyType {
  private let values: Observable<PropertyType>
  private let valueSink: AnyObserver<PropertyType>

  /// Makes a property from the values that a control tells and where those that are set go.
  public init(
    values: some ObservableType<PropertyType>, valueSink: some ObserverType<PropertyType>
  ) {
    self.values = values.subscribe(on: ConcurrentMainScheduler.instance)
    self.valueSink = valueSink.asObserver()
  }

  /// Adds an observer.
  ///
  /// - Returns: What takes it out again.
  public func subscribe(_ observer: any ObserverType<PropertyType>) -> any Disposable {
    values.subscribe(observer)
  }

  /// The user's changes, without the current value.
  public var changed: ControlEvent<PropertyType> {
    ControlEvent(events: values.skip(1))
  }

  /// This as an ``Observable``.
  public func asObservable() -> Observable<PropertyType> {
    values
  }

  /// This.
  public func asControlProperty() -> ControlProperty<PropertyType> {
    self
  }

  /// This as a ``Driver``.
  public func asDriver() -> Driver<PropertyType> {
    Driver(values) { _ in .empty() }
  }

  /// Sets a value.
  ///
  /// A control has no end, so an end that is sent to it is left out.
  public func on(_ event: Event<PropertyType>) {
    if case .next = event { valueSink.on(event) }
  }
}

extension ControlPropertyType where Element == String? {
  /// This, with an empty text for none.
  public var orEmpty: ControlProperty<String> {
    let original = asControlProperty()
    return ControlProperty(
      values: original.map { $0 ?? "" },
      valueSink: AnyObserver<String> { event in
        if case .next(let text) = event { original.on(.next(text)) }
      })
  }
}

/// A type whose elements can be bound: a stream that can fail, or an
/// `Infallible` of `ReactorRx`.
///
/// A ``Driver`` and a `Signal` have `drive` and `emit` instead.
public protocol BindableType<Element>: ObservableConvertibleType {}

extension BindableType {
  /// Delivers the events to observers.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func bind<Observer: ObserverType<Element>>(to observers: Observer...) -> any Disposable {
    asObservable().bind(to: observers)
  }

  /// Delivers the events to observers of optional elements.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func bind<Observer: ObserverType<Element?>>(to observers: Observer...) -> any Disposable {
    asObservable().map { $0 }.bind(to: observers)
  }

  /// Delivers the elements to relays; a stop event is not delivered.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func bind<Relay: RelayType<Element>>(to relays: Relay...) -> any Disposable {
    asObservable().bind(to: relays)
  }

  /// Delivers the elements to relays of optional elements; a stop event is not delivered.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func bind<Relay: RelayType<Element?>>(to relays: Relay...) -> any Disposable {
    asObservable().map { $0 }.bind(to: relays)
  }

  /// Passes this stream to a function that binds it.
  ///
  /// - Returns: The result of the function.
  public func bind<Result>(to binder: (Self) -> Result) -> Result {
    binder(self)
  }

  /// Passes this stream, and an argument, to a function that binds it.
  ///
  /// - Returns: The result of the function.
  public func bind<Argument, Result>(
    to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
  ) -> Result {
    binder(self)(curriedArgument)
  }

  /// Delivers the elements to a closure.
  ///
  /// An error ends the subscription and is passed to ``Hooks/defaultErrorHandler``.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
    asObservable().subscribe(onNext: onNext)
  }

  /// Delivers the elements to a closure together with an object that the subscription does not
  /// retain.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func bind<Owner: AnyObject & Sendable>(
    with object: Owner, onNext: @escaping @Sendable (Owner, Element) -> Void
  ) -> any Disposable {
    asObservable().subscribe(with: object, onNext: onNext)
  }
}

extension Observable {
  package func bind(to observers: [some ObserverType<Element>]) -> any Disposable {
    subscribe { event in for observer in observers { observer.on(event) } }
  }

  package func bind(to relays: [some RelayType<Element>]) -> any Disposable {
    bind { element in for relay in relays { relay.accept(element) } }
  }
}

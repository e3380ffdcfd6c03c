extension ObservableType {
  /// Delivers to observers.
  ///
  /// - Returns: What ends the subscription.
  public func bind<Observer: ObserverType<Element>>(to observers: Observer...) -> any Disposable {
    bind(to: observers)
  }

  /// Delivers to observers of optional elements.
  ///
  /// - Returns: What ends the subscription.
  public func bind<Observer: ObserverType<Element?>>(to observers: Observer...) -> any Disposable {
    map { $0 }.bind(to: observers)
  }

  /// Delivers the elements to a relay; the end of this stream does not end it.
  ///
  /// - Returns: What ends the subscription.
  public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Delivers the elements to a relay of optional elements.
  ///
  /// - Returns: What ends the subscription.
  public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Delivers the elements to a relay; the end of this stream does not end it.
  ///
  /// - Returns: What ends the subscription.
  public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Delivers the elements to a relay of optional elements.
  ///
  /// - Returns: What ends the subscription.
  public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Hands this stream to a function that binds it.
  ///
  /// - Returns: What the function returned.
  public func bind<Result>(to binder: (Self) -> Result) -> Result {
    binder(self)
  }

  /// Delivers the elements to a closure.
  ///
  /// A failure ends the binding; nothing else tells of it.
  ///
  /// - Returns: What ends the subscription.
  public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
    subscribe(onNext: onNext)
  }

  /// Delivers the elements to a closure, with an object that the subscription does not keep.
  ///
  /// - Returns: What ends the subscription.
  public func bind<Owner: AnyObject & Sendable>(
    with object: Owner, onNext: @escaping @Sendable (Owner, Element) -> Void
  ) -> any Disposable {
    subscribe(with: object, onNext: onNext)
  }

  func bind(to observers: [some ObserverType<Element>]) -> any Disposable {
    subscribe { event in for observer in observers { observer.on(event) } }
  }
}

/// A state to be shown: never fails, replays the latest element to one who comes while others
/// observe, and delivers in the session's serial context.
public typealias Driver<Element: Sendable> = SharedSequence<DriverSharingStrategy, Element>

/// How a ``Driver`` is shared: one who comes gets the latest element, while anybody observes.
public enum DriverSharingStrategy: SharingStrategyProtocol {
  /// Shares with a replay of one.
  public static func share<Element: Sendable>(
    _ source: Observable<Element>
  ) -> Observable<Element> {
    source.share(replay: 1, scope: .whileConnected)
  }
}

extension ObservableConvertibleType {
  /// This as a ``Driver`` that, where this fails, emits one last element and completes.
  public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
    Driver(asObservable()) { _ in .just(onErrorJustReturn) }
  }

  /// This as a ``Driver`` that, where this fails, goes on as another.
  public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
    Driver(asObservable()) { _ in onErrorDriveWith.asObservable() }
  }

  /// This as a ``Driver`` that, where this fails, goes on as one made from the failure.
  public func asDriver(
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> Driver<Element>
  ) -> Driver<Element> {
    Driver(asObservable()) { onErrorRecover($0).asObservable() }
  }
}

extension BehaviorRelay {
  /// This relay as a ``Driver``.
  public func asDriver() -> Driver<Element> {
    Driver(asObservable()) { _ in .empty() }
  }
}

extension SharedSequence where Strategy == DriverSharingStrategy {
  /// Delivers to closures.
  ///
  /// - Returns: What ends the subscription.
  public func drive(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Delivers to closures, each with an object that the subscription does not keep.
  ///
  /// - Returns: What ends the subscription.
  public func drive<Owner: AnyObject & Sendable>(
    with object: Owner,
    onNext: (@Sendable (Owner, Element) -> Void)? = nil,
    onCompleted: (@Sendable (Owner) -> Void)? = nil,
    onDisposed: (@Sendable (Owner) -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Delivers to observers.
  ///
  /// - Returns: What ends the subscription.
  public func drive<Observer: ObserverType<Element>>(_ observers: Observer...) -> any Disposable {
    asObservable().bind(to: observers)
  }

  /// Delivers to observers of optional elements.
  ///
  /// - Returns: What ends the subscription.
  public func drive<Observer: ObserverType<Element?>>(_ observers: Observer...) -> any Disposable {
    asObservable().map { $0 }.bind(to: observers)
  }

  /// Delivers to a relay.
  ///
  /// - Returns: What ends the subscription.
  public func drive(_ relay: BehaviorRelay<Element>) -> any Disposable {
    drive(onNext: { relay.accept($0) })
  }

  /// Delivers to a relay of optional elements.
  ///
  /// - Returns: What ends the subscription.
  public func drive(_ relay: BehaviorRelay<Element?>) -> any Disposable {
    drive(onNext: { relay.accept($0) })
  }

  /// Hands this to a function that binds it.
  ///
  /// - Returns: What the function returned.
  public func drive<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
    transformation(asObservable())
  }
}

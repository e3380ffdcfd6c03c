/// A state for presentation: a shared sequence that replays the latest element to later observers.
public typealias Driver<Element: Sendable> = SharedSequence<DriverSharingStrategy, Element>

/// The sharing of a ``Driver``: while there are observers, a new observer first receives the latest
/// element.
public enum DriverSharingStrategy: SharingStrategyProtocol {
  /// Shares a stream with a replay of one element.
  public static func share<Element: Sendable>(
    _ source: Observable<Element>
  ) -> Observable<Element> {
    source.share(replay: 1, scope: .whileConnected)
  }
}

extension ObservableConvertibleType {
  /// Returns this stream as a ``Driver``, with an error replaced by a last element and the
  /// completion.
  public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// Returns this stream as a ``Driver``, continued after an error by another ``Driver``.
  public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
    asSharedSequence(onErrorDriveWith: onErrorDriveWith)
  }

  /// Returns this stream as a ``Driver``, continued after an error by the one that a closure
  /// returns.
  public func asDriver(
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> Driver<Element>
  ) -> Driver<Element> {
    asSharedSequence(onErrorRecover: onErrorRecover)
  }
}

extension BehaviorRelay {
  /// Returns this relay as a ``Driver``.
  public func asDriver() -> Driver<Element> {
    asDriver(onErrorDriveWith: .empty())
  }
}

extension SharedSequenceConvertibleType {
  /// Returns this sequence with the sharing of a ``Driver``.
  public func asDriver() -> Driver<Element> {
    asSharedSequence() as? Driver<Element> ?? Driver(raw: asObservable())
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// Delivers the events to closures.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func drive(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Delivers the events to closures together with an object that the subscription does not retain.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func drive<Owner: AnyObject & Sendable>(
    with object: Owner,
    onNext: (@Sendable (Owner, Element) -> Void)? = nil,
    onCompleted: (@Sendable (Owner) -> Void)? = nil,
    onDisposed: (@Sendable (Owner) -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Delivers the events to observers.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func drive<Observer: ObserverType<Element>>(_ observers: Observer...) -> any Disposable {
    asObservable().bind(to: observers)
  }

  /// Delivers the events to observers of optional elements.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func drive<Observer: ObserverType<Element?>>(_ observers: Observer...) -> any Disposable {
    asObservable().map { $0 }.bind(to: observers)
  }

  /// Delivers the elements to relays.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func drive<Relay: RelayType<Element>>(_ relays: Relay...) -> any Disposable {
    asObservable().bind(to: relays)
  }

  /// Delivers the elements to relays of optional elements.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func drive<Relay: RelayType<Element?>>(_ relays: Relay...) -> any Disposable {
    asObservable().map { $0 }.bind(to: relays)
  }

  /// Passes this sequence as a stream to a function that binds it.
  ///
  /// - Returns: The result of the function.
  public func drive<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
    transformation(asObservable())
  }

  /// Passes this sequence as a stream, and an argument, to a function that binds it.
  ///
  /// - Returns: The result of the function.
  public func drive<Argument, Result>(
    _ with: (Observable<Element>) -> (Argument) -> Result, curriedArgument: Argument
  ) -> Result {
    with(asObservable())(curriedArgument)
  }
}

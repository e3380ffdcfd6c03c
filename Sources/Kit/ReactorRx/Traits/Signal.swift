public import ReactorStreams

/// Events for presentation: a shared sequence without a replay.
public typealias Signal<Element: Sendable> = SharedSequence<SignalSharingStrategy, Element>

/// The sharing of a ``Signal``: a new observer receives only later elements.
public enum SignalSharingStrategy: SharingStrategyProtocol {
  /// Shares a stream without a replay.
  public static func share<Element: Sendable>(
    _ source: Observable<Element>
  ) -> Observable<Element> {
    source.share(replay: 0, scope: .whileConnected)
  }
}

extension ObservableConvertibleType {
  /// Returns this stream as a ``Signal``, with an error replaced by a last element and the
  /// completion.
  public func asSignal(onErrorJustReturn: Element) -> Signal<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// Returns this stream as a ``Signal``, continued after an error by another ``Signal``.
  public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
    asSharedSequence(onErrorDriveWith: onErrorSignalWith)
  }

  /// Returns this stream as a ``Signal``, continued after an error by the one that a closure
  /// returns.
  public func asSignal(
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> Signal<Element>
  ) -> Signal<Element> {
    asSharedSequence(onErrorRecover: onErrorRecover)
  }
}

extension PublishRelay {
  /// Returns this relay as a ``Signal``.
  public func asSignal() -> Signal<Element> {
    asSignal(onErrorSignalWith: .empty())
  }
}

extension ControlEvent {
  /// Returns these events as a ``Signal``.
  public func asSignal() -> Signal<PropertyType> {
    asObservable().asSignal(onErrorSignalWith: .empty())
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// Returns this sequence as a ``Signal``.
  public func asSignal() -> Signal<Element> {
    asSharedSequence()
  }

  /// Delivers the events to closures.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func emit(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Delivers the events to closures together with an object that the subscription does not retain.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func emit<Owner: AnyObject & Sendable>(
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
  public func emit<Observer: ObserverType<Element>>(to observers: Observer...) -> any Disposable {
    asObservable().bind(to: observers)
  }

  /// Delivers the events to observers of optional elements.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func emit<Observer: ObserverType<Element?>>(to observers: Observer...) -> any Disposable {
    asObservable().map { $0 }.bind(to: observers)
  }

  /// Delivers the elements to relays.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func emit<Relay: RelayType<Element>>(to relays: Relay...) -> any Disposable {
    asObservable().bind(to: relays)
  }

  /// Delivers the elements to relays of optional elements.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func emit<Relay: RelayType<Element?>>(to relays: Relay...) -> any Disposable {
    asObservable().map { $0 }.bind(to: relays)
  }
}

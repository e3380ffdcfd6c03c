/// Events to be shown: never fails, replays nothing, and delivers in the session's serial context.
public typealias Signal<Element: Sendable> = SharedSequence<SignalSharingStrategy, Element>

/// How a ``Signal`` is shared: one who comes gets what comes after.
public enum SignalSharingStrategy: SharingStrategyProtocol {
  /// Shares without a replay.
  public static func share<Element: Sendable>(
    _ source: Observable<Element>
  ) -> Observable<Element> {
    source.share(replay: 0, scope: .whileConnected)
  }
}

extension ObservableConvertibleType {
  /// This as a ``Signal`` that, where this fails, emits one last element and completes.
  public func asSignal(onErrorJustReturn: Element) -> Signal<Element> {
    Signal(asObservable()) { _ in .just(onErrorJustReturn) }
  }

  /// This as a ``Signal`` that, where this fails, goes on as another.
  public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
    Signal(asObservable()) { _ in onErrorSignalWith.asObservable() }
  }

  /// This as a ``Signal`` that, where this fails, goes on as one made from the failure.
  public func asSignal(
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> Signal<Element>
  ) -> Signal<Element> {
    Signal(asObservable()) { onErrorRecover($0).asObservable() }
  }
}

extension PublishRelay {
  /// This relay as a ``Signal``.
  public func asSignal() -> Signal<Element> {
    Signal(asObservable()) { _ in .empty() }
  }
}

extension SharedSequence where Strategy == SignalSharingStrategy {
  /// Delivers to closures.
  ///
  /// - Returns: What ends the subscription.
  public func emit(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Delivers to closures, each with an object that the subscription does not keep.
  ///
  /// - Returns: What ends the subscription.
  public func emit<Owner: AnyObject & Sendable>(
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
  public func emit<Observer: ObserverType<Element>>(to observers: Observer...) -> any Disposable {
    asObservable().bind(to: observers)
  }

  /// Delivers to observers of optional elements.
  ///
  /// - Returns: What ends the subscription.
  public func emit<Observer: ObserverType<Element?>>(to observers: Observer...) -> any Disposable {
    asObservable().map { $0 }.bind(to: observers)
  }

  /// Delivers to a relay.
  ///
  /// - Returns: What ends the subscription.
  public func emit(to relay: PublishRelay<Element>) -> any Disposable {
    emit(onNext: { relay.accept($0) })
  }

  /// Delivers to a relay.
  ///
  /// - Returns: What ends the subscription.
  public func emit(to relay: BehaviorRelay<Element>) -> any Disposable {
    emit(onNext: { relay.accept($0) })
  }
}

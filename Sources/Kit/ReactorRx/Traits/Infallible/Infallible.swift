public import ReactorStreams

/// An event of a stream that never fails.
public enum InfallibleEvent<Element: Sendable>: Sendable, EventConvertible {
  /// The stream emitted an element.
  case next(Element)

  /// The stream completed.
  case completed

  /// The corresponding event of an `Observable`.
  public var event: Event<Element> {
    switch self {
    case .next(let element): .next(element)
    case .completed: .completed
    }
  }
}

/// A type that converts to an ``Infallible``.
public protocol InfallibleType<Element>: BindableType {}

/// A stream that never fails.
///
/// Unlike a `Driver`, it is neither shared nor bound to the session's context.
public struct Infallible<Element: Sendable>: InfallibleType {
  /// Receives the events of the work that ``create(subscribe:)`` starts.
  public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

  private let source: Observable<Element>

  /// Wraps a stream that never fails.
  init(raw source: Observable<Element>) {
    self.source = source
  }

  /// Returns this stream as an `Observable`.
  public func asObservable() -> Observable<Element> {
    source
  }

  /// Returns a stream of the events that the work of a subscription emits.
  ///
  /// - Parameter subscribe: Starts the work of a subscription; returns a disposable that cancels
  ///   it.
  /// - Returns: The stream. It does no work before it is subscribed to.
  public static func create(
    subscribe: @escaping @Sendable (@escaping InfallibleObserver) -> any Disposable
  ) -> Infallible<Element> {
    Infallible(raw: .create { observer in subscribe { observer.on($0.event) } })
  }
}

extension ObservableConvertibleType {
  /// Returns this stream as an ``Infallible``, with an error replaced by a last element and the
  /// completion.
  public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
    Infallible(raw: asObservable().catchAndReturn(element))
  }

  /// Returns this stream as an ``Infallible``, continued after an error by another ``Infallible``.
  public func asInfallible(
    onErrorFallbackTo infallible: Infallible<Element>
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().catch { _ in infallible.asObservable() })
  }

  /// Returns this stream as an ``Infallible``, continued after an error by the one that a closure
  /// returns.
  public func asInfallible(
    onErrorRecover: @escaping @Sendable (any Error) -> Infallible<Element>
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().catch { onErrorRecover($0).asObservable() })
  }
}

extension InfallibleType {
  /// Returns this stream as an ``Infallible``.
  public func asInfallible() -> Infallible<Element> {
    Infallible(raw: asObservable())
  }

  /// Returns this stream as a `Driver`.
  public func asDriver() -> Driver<Element> {
    asDriver(onErrorDriveWith: .empty())
  }

  /// Starts delivering events to closures.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Starts delivering events to closures together with an object that the subscription does not
  /// retain.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe<Owner: AnyObject & Sendable>(
    with object: Owner,
    onNext: (@Sendable (Owner, Element) -> Void)? = nil,
    onCompleted: (@Sendable (Owner) -> Void)? = nil,
    onDisposed: (@Sendable (Owner) -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Starts delivering events to a closure.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(
    _ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void
  ) -> any Disposable {
    subscribe(onNext: { on(.next($0)) }, onCompleted: { on(.completed) })
  }

  /// This stream as an asynchronous sequence.
  ///
  /// The subscription starts when the property is read, and ends with the iteration. Elements that arrive
  /// faster than they are read are stored, without a limit; `values(buffering:)` has one.
  public var values: AsyncStream<Element> {
    infallibleValues
  }
}

extension SharedSequenceConvertibleType {
  /// Returns this value as an ``Infallible``.
  public func asInfallible() -> Infallible<Element> {
    Infallible(raw: asObservable())
  }
}

extension RelayType {
  /// Returns this relay as an ``Infallible``.
  public func asInfallible() -> Infallible<Element> {
    Infallible(raw: asObservable())
  }
}

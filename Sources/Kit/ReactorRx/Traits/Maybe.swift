public import ReactorStreams

/// The trait of a sequence that emits at most one element or fails.
public enum MaybeTrait: ElementTrait {}

/// A stream that emits at most one element or fails.
public typealias Maybe<Element: Sendable> = PrimitiveSequence<MaybeTrait, Element>

/// The result of a ``Maybe``.
public enum MaybeEvent<Element: Sendable>: Sendable {
  /// The maybe emitted its element.
  case success(Element)

  /// The work failed.
  case error(any Error)

  /// The maybe completed without an element.
  case completed
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Receives the result of the work that `create(subscribe:)` starts.
  ///
  /// Only the first call has an effect.
  public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

  /// Returns a maybe with the result of the work of a subscription.
  ///
  /// - Parameter subscribe: Starts the work of a subscription; returns a disposable that cancels
  ///   it.
  /// - Returns: The maybe. It does no work before it is subscribed to.
  public static func create(
    subscribe: @escaping @Sendable (@escaping MaybeObserver) -> any Disposable
  ) -> Maybe<Element> {
    Maybe(
      raw: .create { observer in
        subscribe { result in
          switch result {
          case .success(let element):
            observer.onNext(element)
            observer.onCompleted()
          case .error(let error): observer.onError(error)
          case .completed: observer.onCompleted()
          }
        }
      })
  }

  /// Returns a maybe without an element.
  public static func empty() -> Maybe<Element> {
    Maybe(raw: .empty())
  }

  /// Starts the work and delivers its result.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(
    _ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void
  ) -> any Disposable {
    subscribe(
      onSuccess: { observer(.success($0)) }, onError: { observer(.error($0)) },
      onCompleted: { observer(.completed) })
  }

  /// Starts the work and delivers its result to closures.
  ///
  /// - Parameters:
  ///   - onSuccess: Called with the element.
  ///   - onError: Called with the error.
  ///   - onCompleted: Called if there is no element.
  ///   - onDisposed: Called once, when the subscription has ended.
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil,
    onError: (@Sendable (any Error) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    optional.take(1).subscribe(
      onNext: { element in
        if let element { onSuccess?(element) } else { onCompleted?() }
      },
      onError: onError, onDisposed: onDisposed)
  }

  /// Starts the work and delivers its result to closures together with an object that the
  /// subscription does not retain.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe<Owner: AnyObject & Sendable>(
    with object: Owner,
    onSuccess: (@Sendable (Owner, Element) -> Void)? = nil,
    onError: (@Sendable (Owner, any Error) -> Void)? = nil,
    onCompleted: (@Sendable (Owner) -> Void)? = nil,
    onDisposed: (@Sendable (Owner) -> Void)? = nil
  ) -> any Disposable {
    optional.take(1).subscribe(
      with: object,
      onNext: { object, element in
        if let element { onSuccess?(object, element) } else { onCompleted?(object) }
      },
      onError: onError, onDisposed: onDisposed)
  }

  /// A stream of the element; of `nil` if there is no element.
  private var optional: Observable<Element?> {
    asObservable().map { $0 }.ifEmpty(default: nil)
  }

  /// Calls closures at the events of this maybe.
  ///
  /// An error that a closure throws fails it.
  public func `do`(
    onNext: (@Sendable (Element) throws -> Void)? = nil,
    afterNext: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil,
    afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Maybe<Element> {
    Maybe(
      raw: asObservable().do(
        onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
        onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// Returns a single of the element, or of another element if this maybe has none.
  public func ifEmpty(default element: Element) -> Single<Element> {
    Single(raw: asObservable().ifEmpty(default: element))
  }

  /// Returns this maybe, or another maybe if this one has no element.
  public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
    Maybe(raw: asObservable().ifEmpty(switchTo: other.asObservable()))
  }

  /// Returns this maybe as a single, or another single if this maybe has no element.
  public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
    Single(raw: asObservable().ifEmpty(switchTo: other.asObservable()))
  }

  /// The element, or `nil` if there is none.
  ///
  /// Reading the property waits until the maybe has ended.
  ///
  /// Canceling the task ends the subscription and throws `CancellationError`.
  public var value: Element? {
    get async throws {
      for try await element in asObservable().values { return element }
      return nil
    }
  }
}

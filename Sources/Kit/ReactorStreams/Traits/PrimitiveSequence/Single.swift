/// The trait of a sequence that emits exactly one element or fails.
public enum SingleTrait: ElementTrait {}

/// A stream that emits exactly one element or fails.
public typealias Single<Element: Sendable> = PrimitiveSequence<SingleTrait, Element>

/// The result of a ``Single``.
public typealias SingleEvent<Element> = Result<Element, any Error>

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Receives the result of the work that `create(subscribe:)` starts.
  ///
  /// Only the first call has an effect.
  public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

  /// Returns a single with the result of the work of a subscription.
  ///
  /// - Parameter subscribe: Starts the work of a subscription; returns a disposable that cancels
  ///   it.
  /// - Returns: The single. It does no work before it is subscribed to.
  public static func create(
    subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
  ) -> Single<Element> {
    Single(
      raw: .create { observer in
        subscribe { result in
          switch result {
          case .success(let element):
            observer.onNext(element)
            observer.onCompleted()
          case .failure(let error): observer.onError(error)
          }
        }
      })
  }

  /// Returns a single with the result of an asynchronous closure.
  ///
  /// Each subscription calls the closure in a new task.
  public static func run(
    priority: TaskPriority? = nil, _ work: @escaping @Sendable () async throws -> Element
  ) -> Single<Element> {
    Single(raw: .run(priority: priority) { send in send(try await work()) })
  }

  /// Returns a single with the result of an asynchronous closure; the same as ``run(priority:_:)``.
  public static func create(
    priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Element
  ) -> Single<Element> {
    .run(priority: priority, work)
  }

  /// Starts the work and delivers its result.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(
    _ observer: @escaping @Sendable (SingleEvent<Element>) -> Void
  ) -> any Disposable {
    subscribe(onSuccess: { observer(.success($0)) }, onFailure: { observer(.failure($0)) })
  }

  /// Starts the work and delivers its result to closures.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil,
    onFailure: (@Sendable (any Error) -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    asObservable().take(1).subscribe(
      onNext: onSuccess, onError: onFailure, onDisposed: onDisposed)
  }

  /// Starts the work and delivers its result to closures together with an object that the
  /// subscription does not retain.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe<Owner: AnyObject & Sendable>(
    with object: Owner,
    onSuccess: (@Sendable (Owner, Element) -> Void)? = nil,
    onFailure: (@Sendable (Owner, any Error) -> Void)? = nil,
    onDisposed: (@Sendable (Owner) -> Void)? = nil
  ) -> any Disposable {
    asObservable().take(1).subscribe(
      with: object, onNext: onSuccess, onError: onFailure, onDisposed: onDisposed)
  }

  /// Calls closures at the events of this single.
  ///
  /// An error that a closure throws fails it.
  ///
  /// - Parameters:
  ///   - onSuccess: Called before the element is forwarded.
  ///   - afterSuccess: Called after the element is forwarded.
  ///   - onError: Called before an error is forwarded.
  ///   - afterError: Called after an error is forwarded.
  ///   - onSubscribe: Called before the work starts.
  ///   - onSubscribed: Called after the work has started.
  ///   - onDispose: Called once, when the subscription has ended.
  /// - Returns: The same single.
  public func `do`(
    onSuccess: (@Sendable (Element) throws -> Void)? = nil,
    afterSuccess: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Single<Element> {
    Single(
      raw: asObservable().do(
        onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// Returns a single of the elements of several singles, combined by a closure.
  public static func zip<Result: Sendable>(
    _ collection: some Collection<Single<Element>>,
    resultSelector: @escaping @Sendable ([Element]) throws -> Result
  ) -> Single<Result> {
    guard !collection.isEmpty else { return .deferred { .just(try resultSelector([])) } }
    return Single<Result>(raw: .zip(collection, resultSelector: resultSelector))
  }

  /// Returns a single of the elements of several singles.
  public static func zip(
    _ collection: some Collection<Single<Element>>
  ) -> Single<[Element]> {
    zip(collection) { $0 }
  }

  /// The element.
  ///
  /// Reading the property waits until it is emitted.
  ///
  /// Canceling the task ends the subscription and throws `CancellationError`.
  public var value: Element {
    get async throws {
      for try await element in asObservable().values { return element }
      throw RxError.noElements
    }
  }
}

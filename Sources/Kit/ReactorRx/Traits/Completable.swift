public import ReactorStreams

/// The trait of a sequence that completes or fails, without an element.
public enum CompletableTrait {}

/// A stream that completes or fails, without an element.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// The result of a ``Completable``.
public enum CompletableEvent: Sendable {
  /// The work failed.
  case error(any Error)

  /// The work completed.
  case completed
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Receives the result of the work that `create(subscribe:)` starts.
  ///
  /// Only the first call has an effect.
  public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

  /// Returns a completable with the result of the work of a subscription.
  ///
  /// - Parameter subscribe: Starts the work of a subscription; returns a disposable that cancels
  ///   it.
  /// - Returns: The completable. It does no work before it is subscribed to.
  public static func create(
    subscribe: @escaping @Sendable (@escaping CompletableObserver) -> any Disposable
  ) -> Completable {
    Completable(
      raw: .create { observer in
        subscribe { result in
          switch result {
          case .error(let error): observer.onError(error)
          case .completed: observer.onCompleted()
          }
        }
      })
  }

  /// Returns a completable that completes immediately.
  public static func empty() -> Completable {
    Completable(raw: .empty())
  }

  /// Starts the work and delivers its result.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(
    _ observer: @escaping @Sendable (CompletableEvent) -> Void
  ) -> any Disposable {
    subscribe(onCompleted: { observer(.completed) }, onError: { observer(.error($0)) })
  }

  /// Starts the work and delivers its result to closures.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(
    onCompleted: (@Sendable () -> Void)? = nil,
    onError: (@Sendable (any Error) -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Starts the work and delivers its result to closures together with an object that the
  /// subscription does not retain.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe<Owner: AnyObject & Sendable>(
    with object: Owner,
    onCompleted: (@Sendable (Owner) -> Void)? = nil,
    onError: (@Sendable (Owner, any Error) -> Void)? = nil,
    onDisposed: (@Sendable (Owner) -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      with: object, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Calls closures at the events of this completable.
  ///
  /// An error that a closure throws fails it.
  public func `do`(
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil,
    afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Completable {
    Completable(
      raw: asObservable().do(
        onError: onError, afterError: afterError, onCompleted: onCompleted,
        afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
        onDispose: onDispose))
  }

  /// Returns this completable, followed by another completable.
  public func concat(_ second: Completable) -> Completable {
    Completable(raw: .concat(asObservable(), second.asObservable()))
  }

  /// Returns a completable that executes several completables, one after the other.
  public static func concat(_ sources: some Sequence<Completable>) -> Completable {
    Completable(raw: .concat(sources.map { $0.asObservable() }))
  }

  /// Returns a completable that executes several completables, one after the other.
  public static func concat(_ sources: Completable...) -> Completable {
    concat(sources)
  }

  /// Returns a completable that completes when several completables have completed.
  public static func zip(_ sources: some Collection<Completable>) -> Completable {
    Completable(raw: .merge(sources.map { $0.asObservable() }))
  }

  /// Returns a completable that completes when several completables have completed.
  public static func zip(_ sources: Completable...) -> Completable {
    zip(sources)
  }

  /// Returns this completable, followed by a single.
  public func andThen<Result: Sendable>(_ second: Single<Result>) -> Single<Result> {
    Single<Result>(raw: andThen(second.asObservable()))
  }

  /// Returns this completable, followed by a maybe.
  public func andThen<Result: Sendable>(_ second: Maybe<Result>) -> Maybe<Result> {
    Maybe<Result>(raw: andThen(second.asObservable()))
  }

  /// Returns this completable, followed by another completable.
  public func andThen(_ second: Completable) -> Completable {
    Completable(raw: andThen(second.asObservable()))
  }

  /// Returns this completable, followed by a stream.
  public func andThen<Result: Sendable>(_ second: Observable<Result>) -> Observable<Result> {
    let first: Observable<Result> = asObservable().withoutElements()
    return Observable<Result> { downstream in
      // Unlike `concat`, this retains the first stream only while it is active.
      let isSecond = AtomicFlag()
      return SequentialSink(downstream) { end in
        guard case .completed = end, isSecond.set() else { return .forward(end) }
        return .attach(second)
      }.attached(to: first)
    }
  }

  /// Waits until this completable has completed.
  ///
  /// Canceling the task ends the subscription and throws `CancellationError`.
  public var value: Void {
    get async throws {
      for try await _ in asObservable().values {}
    }
  }
}

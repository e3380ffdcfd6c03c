/// How a ``Single`` ends.
public typealias SingleEvent<Element> = Result<Element, any Error>

/// A stream that ends with exactly one element, or fails.
public struct Single<Element: Sendable>: ObservableConvertibleType {
  /// Tells the result of a single that is made by hand; only the first call counts.
  public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

  private let source: Observable<Element>

  /// Wraps a stream that keeps the promise.
  init(keeping source: Observable<Element>) {
    self.source = source
  }

  /// A single from what a subscription does.
  ///
  /// - Parameter subscribe: Runs once for each subscription; returns what ends its work.
  /// - Returns: The single; nothing runs before it is subscribed to.
  public static func create(
    subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
  ) -> Single<Element> {
    Single(
      keeping: .create { observer in
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

  /// A single from an async closure, which each subscription runs in a task of its own.
  public static func run(
    priority: TaskPriority? = nil, _ work: @escaping @Sendable () async throws -> Element
  ) -> Single<Element> {
    Single(keeping: .run(priority: priority) { send in send(try await work()) })
  }

  /// A single of one element.
  public static func just(_ element: Element) -> Single<Element> {
    Single(keeping: .just(element))
  }

  /// A single that fails.
  public static func error(_ error: any Error) -> Single<Element> {
    Single(keeping: .error(error))
  }

  /// A single that never ends.
  public static func never() -> Single<Element> {
    Single(keeping: .never())
  }

  /// A single that is made anew for each subscription.
  public static func deferred(
    _ make: @escaping @Sendable () throws -> Single<Element>
  ) -> Single<Element> {
    Single(keeping: .deferred { try make().asObservable() })
  }

  /// This single as a stream of one element.
  public func asObservable() -> Observable<Element> {
    source
  }

  /// Starts the work and delivers its result.
  ///
  /// - Returns: What ends the subscription.
  public func subscribe(
    _ observer: @escaping @Sendable (SingleEvent<Element>) -> Void
  ) -> any Disposable {
    subscribe(onSuccess: { observer(.success($0)) }, onFailure: { observer(.failure($0)) })
  }

  /// Starts the work and delivers its result to closures.
  ///
  /// - Returns: What ends the subscription.
  public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil,
    onFailure: (@Sendable (any Error) -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    source.subscribe(onNext: onSuccess, onError: onFailure, onDisposed: onDisposed)
  }

  /// The element, once it is there.
  ///
  /// Cancelling the task ends the subscription.
  public var value: Element {
    get async throws {
      for try await element in values { return element }
      throw Task.isCancelled ? CancellationError() as any Error : RxError.noElements
    }
  }
}

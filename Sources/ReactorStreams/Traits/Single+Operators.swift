extension Single {
  /// The element, changed by a closure.
  ///
  /// If it throws, the single fails.
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Single<Result> {
    Single<Result>(keeping: asObservable().map(transform))
  }

  /// The single that a closure makes from the element.
  public func flatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Single<Result>
  ) -> Single<Result> {
    Single<Result>(keeping: asObservable().flatMap { try selector($0).asObservable() })
  }

  /// This single, and where it fails, the one that a closure makes from the failure.
  public func `catch`(
    _ handler: @escaping @Sendable (any Error) throws -> Single<Element>
  ) -> Single<Element> {
    Single(keeping: asObservable().catch { try handler($0).asObservable() })
  }

  /// This single, and where it fails, an element.
  public func catchAndReturn(_ element: Element) -> Single<Element> {
    Single(keeping: asObservable().catchAndReturn(element))
  }

  /// This single, begun anew each time it fails.
  public func retry() -> Single<Element> {
    Single(keeping: asObservable().retry())
  }

  /// This single, begun anew when it fails; so many times at most, the first included, which is
  /// always made.
  public func retry(_ maxAttemptCount: Int) -> Single<Element> {
    Single(keeping: asObservable().retry(max(1, maxAttemptCount)))
  }

  /// This single, with closures that are called beside its result; if one throws, it fails.
  ///
  /// - Parameters:
  ///   - onSuccess: Called before the element is sent on.
  ///   - afterSuccess: Called after the element was sent on.
  ///   - onError: Called before the failure is sent on.
  ///   - afterError: Called after the failure was sent on.
  ///   - onSubscribe: Called before the work begins.
  ///   - onSubscribed: Called after the work has begun.
  ///   - onDispose: Called once when the subscription has ended, for whatever reason.
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
      keeping: asObservable().do(
        onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// This single's result, delivered by a scheduler.
  public func observe(on scheduler: any SchedulerType) -> Single<Element> {
    Single(keeping: asObservable().observe(on: scheduler))
  }

  /// This single, begun and disposed of by a scheduler.
  public func subscribe(on scheduler: any SchedulerType) -> Single<Element> {
    Single(keeping: asObservable().subscribe(on: scheduler))
  }

  /// This single's element a time later; a failure at once.
  public func delay(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Single<Element> {
    Single(keeping: asObservable().delay(dueTime, scheduler: scheduler))
  }

  /// This single; it fails with ``RxError/timeout`` when its result did not come in a time.
  public func timeout(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Single<Element> {
    Single(keeping: asObservable().timeout(dueTime, scheduler: scheduler))
  }

  /// The elements of two singles, made one by a closure; if it throws, the single fails.
  public static func zip<A: Sendable, B: Sendable>(
    _ source1: Single<A>, _ source2: Single<B>,
    resultSelector: @escaping @Sendable (A, B) throws -> Element
  ) -> Single<Element> {
    Single(keeping: .zip(source1, source2, resultSelector: resultSelector))
  }
}

extension Single where Element == any Sendable {
  /// The elements of two singles, as a tuple.
  public static func zip<A: Sendable, B: Sendable>(
    _ source1: Single<A>, _ source2: Single<B>
  ) -> Single<(A, B)> {
    .zip(source1, source2) { ($0, $1) }
  }
}

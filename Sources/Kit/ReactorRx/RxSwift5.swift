public import ReactorStreams

// Older names of RxSwift, for files that use them. They are not marked as deprecated, because this
// project treats warnings as errors.

/// RxSwift's name for a length of time.
public typealias RxTimeInterval = Duration

/// RxSwift's name for a point in time.
///
/// Here it is the duration since a fixed point in time, see `SchedulerType.now`.
public typealias RxTime = Duration

/// RxSwift's name for a scheduler without a clock.
///
/// Here every scheduler has a clock.
public typealias ImmediateSchedulerType = SchedulerType

extension ObservableType {
  /// RxSwift 5's name of `catch(_:)`.
  public func catchError(
    _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    self.catch(handler)
  }

  /// RxSwift 5's name of `retry(when:)`.
  public func retryWhen<Trigger: ObservableConvertibleType>(
    _ notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
  ) -> Observable<Element> {
    retry(when: notificationHandler)
  }

  /// RxSwift 5's name of `observe(on:)`.
  public func observeOn(_ scheduler: any SchedulerType) -> Observable<Element> {
    observe(on: scheduler)
  }

  /// RxSwift 5's name of `subscribe(on:)`.
  public func subscribeOn(_ scheduler: any SchedulerType) -> Observable<Element> {
    subscribe(on: scheduler)
  }

  /// RxSwift 5's name of `take(until:)`.
  public func takeUntil<Other: ObservableConvertibleType>(_ other: Other) -> Observable<Element> {
    take(until: other)
  }

  /// RxSwift 5's name of `take(until:behavior:)`.
  public func takeUntil(
    _ behavior: TakeBehavior, predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    take(until: predicate, behavior: behavior)
  }

  /// RxSwift 5's name of `take(while:behavior:)`.
  public func takeWhile(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    take(while: predicate)
  }

  /// RxSwift 5's name of `skip(until:)`.
  public func skipUntil<Other: ObservableConvertibleType>(_ other: Other) -> Observable<Element> {
    skip(until: other)
  }

  /// RxSwift 5's name of `skip(while:)`.
  public func skipWhile(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    skip(while: predicate)
  }

  /// RxSwift 5's name of `element(at:)`.
  public func elementAt(_ index: Int) -> Observable<Element> {
    element(at: index)
  }
}

extension PrimitiveSequence {
  /// RxSwift 5's name of `catch(_:)`.
  public func catchError(_ handler: @escaping @Sendable (any Error) throws -> Self) -> Self {
    self.catch(handler)
  }

  /// RxSwift 5's name of `observe(on:)`.
  public func observeOn(_ scheduler: any SchedulerType) -> Self {
    observe(on: scheduler)
  }

  /// RxSwift 5's name of `subscribe(on:)`.
  public func subscribeOn(_ scheduler: any SchedulerType) -> Self {
    subscribe(on: scheduler)
  }

  /// RxSwift 5's name of `retry(when:)`.
  public func retryWhen<Trigger: ObservableConvertibleType>(
    _ notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
  ) -> Self {
    retry(when: notificationHandler)
  }
}

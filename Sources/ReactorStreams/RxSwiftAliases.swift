// Older names of RxSwift, so that a file which uses them moves over unchanged. They are not marked as
// deprecated: warnings are errors here, and there is nothing wrong with the files.

/// RxSwift's name for a length of time.
public typealias RxTimeInterval = Duration

/// RxSwift's name for a scheduler without a clock; every one has one here.
public typealias ImmediateSchedulerType = SchedulerType

extension ObservableType {
  /// RxSwift 5's name of ``catch(_:)``.
  public func catchError(
    _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    self.catch(handler)
  }

  /// RxSwift 5's name of ``catchAndReturn(_:)``.
  public func catchErrorJustReturn(_ element: Element) -> Observable<Element> {
    catchAndReturn(element)
  }

  /// RxSwift 5's name of `retry(when:)`.
  public func retryWhen<Trigger: Sendable>(
    _ notificationHandler:
      @escaping @Sendable (Observable<any Error>) -> Observable<Trigger>
  ) -> Observable<Element> {
    retry(when: notificationHandler)
  }

  /// RxSwift 5's name of ``observe(on:)``.
  public func observeOn(_ scheduler: any SchedulerType) -> Observable<Element> {
    observe(on: scheduler)
  }

  /// RxSwift 5's name of ``subscribe(on:)``.
  public func subscribeOn(_ scheduler: any SchedulerType) -> Observable<Element> {
    subscribe(on: scheduler)
  }

  /// RxSwift 5's name of ``take(until:)``.
  public func takeUntil<Other: Sendable>(
    _ other: some ObservableType<Other>
  ) -> Observable<Element> {
    take(until: other)
  }

  /// RxSwift 5's name of ``take(while:behavior:)``.
  public func takeWhile(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    take(while: predicate)
  }

  /// RxSwift 5's name of ``skip(until:)``.
  public func skipUntil<Other: Sendable>(
    _ other: some ObservableType<Other>
  ) -> Observable<Element> {
    skip(until: other)
  }

  /// RxSwift 5's name of ``skip(while:)``.
  public func skipWhile(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    skip(while: predicate)
  }

  /// RxSwift 5's name of ``element(at:)``.
  public func elementAt(_ index: Int) -> Observable<Element> {
    element(at: index)
  }
}

extension Single {
  /// RxSwift 5's name of ``catchAndReturn(_:)``.
  public func catchErrorJustReturn(_ element: Element) -> Single<Element> {
    catchAndReturn(element)
  }
}

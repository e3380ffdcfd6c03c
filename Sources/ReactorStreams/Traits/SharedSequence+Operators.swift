// The operators of `Observable` whose results keep a shared sequence's promises: no closure throws,
// and time is that of the session's context.

extension SharedSequence {
  /// Each element, changed by a closure.
  public func map<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Result
  ) -> SharedSequence<Strategy, Result> {
    .init(keeping: asObservable().map(selector))
  }

  /// Each element, changed by a closure; where it gives `nil`, nothing.
  public func compactMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Result?
  ) -> SharedSequence<Strategy, Result> {
    .init(keeping: asObservable().compactMap(selector))
  }

  /// The elements for which a closure holds.
  public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Self {
    .init(keeping: asObservable().filter(predicate))
  }

  /// The elements of the sequences that a closure makes from each element, as they come.
  public func flatMap<Inner: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    .init(keeping: asObservable().flatMap { selector($0).asObservable() })
  }

  /// The elements of the sequence that a closure made last.
  public func flatMapLatest<Inner: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    .init(keeping: asObservable().flatMapLatest { selector($0).asObservable() })
  }

  /// The elements of one inner sequence at a time; what comes while one runs is dropped.
  public func flatMapFirst<Inner: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    .init(keeping: asObservable().flatMapFirst { selector($0).asObservable() })
  }

  /// What a closure makes from the result before and each element; the seed is not emitted.
  public func scan<Result: Sendable>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Element) -> Result
  ) -> SharedSequence<Strategy, Result> {
    .init(keeping: asObservable().scan(seed, accumulator: accumulator))
  }

  /// An element first, then this sequence's.
  public func startWith(_ element: Element) -> Self {
    .init(keeping: asObservable().startWith(element))
  }

  /// This sequence's elements but the first ones.
  public func skip(_ count: Int) -> Self {
    .init(keeping: asObservable().skip(count))
  }

  /// This sequence, with closures that are called beside each event.
  public func `do`(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Self {
    .init(
      keeping: asObservable().do(
        onNext: onNext, onCompleted: onCompleted, onSubscribe: onSubscribe, onDispose: onDispose))
  }

  /// This sequence; what happens to it is printed.
  public func debug(_ identifier: String, trimOutput: Bool = false) -> Self {
    .init(keeping: asObservable().debug(identifier, trimOutput: trimOutput))
  }

  /// This sequence's elements without those that a closure calls equal to the one before.
  public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) -> Bool
  ) -> Self {
    .init(keeping: asObservable().distinctUntilChanged(comparer))
  }

  /// This sequence's elements without those whose key is equal to that of the one before.
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @Sendable (Element) -> Key
  ) -> Self {
    .init(keeping: asObservable().distinctUntilChanged(keySelector))
  }

  /// The elements after which nothing came for a time of the session's context.
  public func debounce(_ dueTime: Duration) -> Self {
    .init(keeping: asObservable().debounce(dueTime, scheduler: MainScheduler.instance))
  }

  /// At most one element in a time of the session's context.
  public func throttle(_ dueTime: Duration, latest: Bool = true) -> Self {
    .init(
      keeping: asObservable().throttle(
        dueTime, latest: latest, scheduler: MainScheduler.instance))
  }

  /// Each element, and the completion, a time of the session's context later.
  public func delay(_ dueTime: Duration) -> Self {
    .init(keeping: asObservable().delay(dueTime, scheduler: MainScheduler.instance))
  }
}

extension SharedSequence where Element: Equatable {
  /// This sequence's elements without those that are equal to the one before.
  public func distinctUntilChanged() -> Self {
    .init(keeping: asObservable().distinctUntilChanged())
  }
}

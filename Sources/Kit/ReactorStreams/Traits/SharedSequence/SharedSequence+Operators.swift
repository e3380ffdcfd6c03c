// The operators of `Observable` that preserve the guarantees of a shared sequence: their closures
// do not throw, and they measure time with the scheduler of the session's context.

extension SharedSequenceConvertibleType {
  /// Returns a sequence of each element transformed by a closure.
  public func map<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    .init(raw: asObservable().map(selector))
  }

  /// Returns a sequence of the results of a closure for each element, without `nil`.
  public func compactMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Result?
  ) -> SharedSequence<SharingStrategy, Result> {
    .init(raw: asObservable().compactMap(selector))
  }

  /// Returns a sequence of the elements that satisfy a predicate.
  public func filter(
    _ predicate: @escaping @Sendable (Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().filter(predicate))
  }

  /// Returns a sequence that merges the sequences that a closure returns for the elements.
  public func flatMap<Inner: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    .init(raw: asObservable().flatMap { selector($0).asObservable() })
  }

  /// Returns a sequence of the elements of the latest sequence that a closure returned.
  public func flatMapLatest<Inner: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    .init(raw: asObservable().flatMapLatest { selector($0).asObservable() })
  }

  /// Returns a sequence of the elements of one inner sequence at a time.
  ///
  /// Elements of this sequence that arrive while an inner sequence is active are dropped.
  public func flatMapFirst<Inner: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    .init(raw: asObservable().flatMapFirst { selector($0).asObservable() })
  }

  /// Returns a sequence of the results of a closure that combines the previous result with each
  /// element.
  ///
  /// The seed is not emitted.
  public func scan<Result: Sendable>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    .init(raw: asObservable().scan(seed, accumulator: accumulator))
  }

  /// Returns a sequence that first emits the given element and then those of this sequence.
  public func startWith(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().startWith(element))
  }

  /// Returns this sequence without its first elements.
  public func skip(_ count: Int) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().skip(count))
  }

  /// Calls closures at the events of this sequence.
  public func `do`(
    onNext: (@Sendable (Element) -> Void)? = nil,
    afterNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    afterCompleted: (@Sendable () -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(
      raw: asObservable().do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted,
        afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
        onDispose: onDispose))
  }

  /// Prints the events of this sequence.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false,
    file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(
      raw: asObservable().debug(
        identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }

  /// Returns this sequence without elements that a closure considers equal to the last emitted
  /// element.
  public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().distinctUntilChanged(comparer))
  }

  /// Returns this sequence without elements whose key is equal to that of the previous element.
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @Sendable (Element) -> Key
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().distinctUntilChanged(keySelector))
  }

  /// Returns this sequence without elements whose key a closure considers equal to that of the last
  /// emitted element.
  public func distinctUntilChanged<Key: Sendable>(
    _ keySelector: @escaping @Sendable (Element) -> Key,
    comparer: @escaping @Sendable (Key, Key) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().distinctUntilChanged(keySelector, comparer: comparer))
  }

  /// Returns a sequence of the elements that no other element follows within a duration.
  public func debounce(_ dueTime: Duration) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().debounce(dueTime, scheduler: SharingStrategy.scheduler))
  }

  /// Returns at most one of this sequence's elements per duration.
  public func throttle(
    _ dueTime: Duration, latest: Bool = true
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(
      raw: asObservable().throttle(
        dueTime, latest: latest, scheduler: SharingStrategy.scheduler))
  }

  /// Returns this sequence with its elements and its completion delayed by a duration.
  public func delay(_ dueTime: Duration) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().delay(dueTime, scheduler: SharingStrategy.scheduler))
  }

  /// Returns a sequence of each element together with an object that the sequence does not retain.
  ///
  /// The sequence completes at the first element after the object is deallocated.
  public func withUnretained<Owner: AnyObject & Sendable, Result: Sendable>(
    _ object: Owner, resultSelector: @escaping @Sendable (Owner, Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    .init(raw: asObservable().withUnretained(object, resultSelector: resultSelector))
  }

  /// Returns a sequence of each element together with an object that the sequence does not retain.
  public func withUnretained<Owner: AnyObject & Sendable>(
    _ object: Owner
  ) -> SharedSequence<SharingStrategy, (Owner, Element)> {
    withUnretained(object) { ($0, $1) }
  }
}

extension SharedSequenceConvertibleType where Element: Equatable {
  /// Returns this sequence without elements that are equal to the previous element.
  public func distinctUntilChanged() -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().distinctUntilChanged())
  }
}

extension SharedSequenceConvertibleType where Element: SharedSequenceConvertibleType {
  /// Returns a sequence of the elements of the latest inner sequence.
  public func switchLatest() -> SharedSequence<Element.SharingStrategy, Element.Element> {
    .init(raw: asObservable().switchLatest())
  }

  /// Returns a sequence of the elements of all inner sequences.
  public func merge() -> SharedSequence<Element.SharingStrategy, Element.Element> {
    .init(raw: asObservable().merge())
  }

  /// Returns a sequence of the elements of all inner sequences, with a limit of active inner
  /// sequences.
  public func merge(
    maxConcurrent: Int
  ) -> SharedSequence<Element.SharingStrategy, Element.Element> {
    .init(raw: asObservable().merge(maxConcurrent: maxConcurrent))
  }
}

// The operators of `Observable` that keep the guarantees of a shared sequence: their closures do not
// throw, and time is that of the session's context.

extension SharedSequenceConvertibleType {
  /// Each element, transformed by a closure.
  public func map<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    .init(raw: asObservable().map(selector))
  }

  /// The results of a closure for each element that are not `nil`.
  public func compactMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Result?
  ) -> SharedSequence<SharingStrategy, Result> {
    .init(raw: asObservable().compactMap(selector))
  }

  /// The elements that satisfy a predicate.
  public func filter(
    _ predicate: @escaping @Sendable (Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().filter(predicate))
  }

  /// The elements of the sequences that a closure returns for each element.
  public func flatMap<Inner: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    .init(raw: asObservable().flatMap { selector($0).asObservable() })
  }

  /// The elements of the sequence that a closure returned last.
  public func flatMapLatest<Inner: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    .init(raw: asObservable().flatMapLatest { selector($0).asObservable() })
  }

  /// The elements of one inner sequence at a time; elements that arrive while it is active are
  /// dropped.
  public func flatMapFirst<Inner: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    .init(raw: asObservable().flatMapFirst { selector($0).asObservable() })
  }

  /// The results of a closure that combines the previous result with each element; the seed is not
  /// emitted.
  public func scan<Result: Sendable>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    .init(raw: asObservable().scan(seed, accumulator: accumulator))
  }

  /// An element to emit first, followed by those of this sequence.
  public func startWith(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().startWith(element))
  }

  /// This sequence without its first elements.
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

  /// This sequence without elements that a closure considers equal to their predecessor.
  public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().distinctUntilChanged(comparer))
  }

  /// This sequence without elements whose key is equal to that of their predecessor.
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @Sendable (Element) -> Key
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().distinctUntilChanged(keySelector))
  }

  /// This sequence without elements whose key a closure considers equal to that of the last emitted
  /// element.
  public func distinctUntilChanged<Key: Sendable>(
    _ keySelector: @escaping @Sendable (Element) -> Key,
    comparer: @escaping @Sendable (Key, Key) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().distinctUntilChanged(keySelector, comparer: comparer))
  }

  /// The elements that no other element follows within a time.
  public func debounce(_ dueTime: Duration) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().debounce(dueTime, scheduler: SharingStrategy.scheduler))
  }

  /// At most one element per time.
  public func throttle(
    _ dueTime: Duration, latest: Bool = true
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(
      raw: asObservable().throttle(
        dueTime, latest: latest, scheduler: SharingStrategy.scheduler))
  }

  /// This sequence's elements and its completion, each a time later.
  public func delay(_ dueTime: Duration) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().delay(dueTime, scheduler: SharingStrategy.scheduler))
  }

  /// Each element together with an object that the sequence does not retain.
  ///
  /// The sequence completes at the first element after the object is deallocated.
  public func withUnretained<Owner: AnyObject & Sendable, Result: Sendable>(
    _ object: Owner, resultSelector: @escaping @Sendable (Owner, Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    .init(raw: asObservable().withUnretained(object, resultSelector: resultSelector))
  }

  /// Each element together with an object that the sequence does not retain.
  public func withUnretained<Owner: AnyObject & Sendable>(
    _ object: Owner
  ) -> SharedSequence<SharingStrategy, (Owner, Element)> {
    withUnretained(object) { ($0, $1) }
  }
}

extension SharedSequenceConvertibleType where Element: Equatable {
  /// This sequence without elements that are equal to their predecessor.
  public func distinctUntilChanged() -> SharedSequence<SharingStrategy, Element> {
    .init(raw: asObservable().distinctUntilChanged())
  }
}

extension SharedSequenceConvertibleType where Element: SharedSequenceConvertibleType {
  /// The elements of the newest inner sequence.
  public func switchLatest() -> SharedSequence<Element.SharingStrategy, Element.Element> {
    .init(raw: asObservable().switchLatest())
  }

  /// The elements of all inner sequences.
  public func merge() -> SharedSequence<Element.SharingStrategy, Element.Element> {
    .init(raw: asObservable().merge())
  }

  /// The elements of all inner sequences, of which a limited number is active at a time.
  public func merge(
    maxConcurrent: Int
  ) -> SharedSequence<Element.SharingStrategy, Element.Element> {
    .init(raw: asObservable().merge(maxConcurrent: maxConcurrent))
  }
}

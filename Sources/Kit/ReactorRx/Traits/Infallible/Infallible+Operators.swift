public import ReactorStreams

// The operators of `Observable` whose results never fail if their source never fails. Their
// closures do not throw.

extension InfallibleType {
  /// Returns a stream of one element.
  public static func just(_ element: Element) -> Infallible<Element> {
    Infallible(raw: .just(element))
  }

  /// Returns a stream of one element that a scheduler emits.
  public static func just(_ element: Element, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(raw: .just(element, scheduler: scheduler))
  }

  /// Returns a stream that never emits and never ends.
  public static func never() -> Infallible<Element> {
    Infallible(raw: .never())
  }

  /// Returns a stream that completes immediately.
  public static func empty() -> Infallible<Element> {
    Infallible(raw: .empty())
  }

  /// Returns a stream that a closure creates for each subscription.
  public static func deferred(
    _ observableFactory: @escaping @Sendable () -> Infallible<Element>
  ) -> Infallible<Element> {
    Infallible(raw: .deferred { observableFactory().asObservable() })
  }

  /// Returns a stream of the elements that satisfy a predicate.
  public func filter(
    _ predicate: @escaping @Sendable (Element) -> Bool
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().filter(predicate))
  }

  /// Returns a stream of each element transformed by a closure.
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result
  ) -> Infallible<Result> {
    Infallible<Result>(raw: asObservable().map(transform))
  }

  /// Returns a stream of the results of a closure for each element, without `nil`.
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result?
  ) -> Infallible<Result> {
    Infallible<Result>(raw: asObservable().compactMap(transform))
  }

  /// Returns this stream without elements whose key is equal to that of the previous element.
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @Sendable (Element) -> Key
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().distinctUntilChanged(keySelector))
  }

  /// Returns this stream without elements that a closure considers equal to the last emitted
  /// element.
  public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) -> Bool
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().distinctUntilChanged(comparer))
  }

  /// Returns this stream without elements whose key a closure considers equal to that of the last
  /// emitted element.
  public func distinctUntilChanged<Key: Sendable>(
    _ keySelector: @escaping @Sendable (Element) -> Key,
    comparer: @escaping @Sendable (Key, Key) -> Bool
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().distinctUntilChanged(keySelector, comparer: comparer))
  }

  /// Returns this stream without elements whose property is equal to that of the previous element.
  public func distinctUntilChanged<Property: Equatable & Sendable>(
    at keyPath: any KeyPath<Element, Property> & Sendable
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().distinctUntilChanged(at: keyPath))
  }

  /// Returns a stream of the elements that no other element follows within a duration.
  public func debounce(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().debounce(dueTime, scheduler: scheduler))
  }

  /// Returns at most one of this stream's elements per duration.
  public func throttle(
    _ dueTime: Duration, latest: Bool = true, scheduler: any SchedulerType
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
  }

  /// Returns this stream with its elements and its completion delayed by a duration.
  public func delay(_ dueTime: Duration, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(raw: asObservable().delay(dueTime, scheduler: scheduler))
  }

  /// Returns this stream with its events delivered by a scheduler.
  public func observe(on scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(raw: asObservable().observe(on: scheduler))
  }

  /// Returns this stream with its subscription started and disposed of by a scheduler.
  public func subscribe(on scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(raw: asObservable().subscribe(on: scheduler))
  }

  /// Returns a stream that merges the streams that a closure returns for the elements.
  public func flatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Infallible<Result>
  ) -> Infallible<Result> {
    Infallible<Result>(raw: asObservable().flatMap { selector($0).asObservable() })
  }

  /// Returns a stream of the elements of the latest stream that a closure returned.
  public func flatMapLatest<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Infallible<Result>
  ) -> Infallible<Result> {
    Infallible<Result>(raw: asObservable().flatMapLatest { selector($0).asObservable() })
  }

  /// Returns a stream of the elements of one inner stream at a time.
  ///
  /// Elements of this stream that arrive while an inner stream is active are dropped.
  public func flatMapFirst<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Infallible<Result>
  ) -> Infallible<Result> {
    Infallible<Result>(raw: asObservable().flatMapFirst { selector($0).asObservable() })
  }

  /// Returns a stream of the elements of one inner stream after the other.
  public func concatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Infallible<Result>
  ) -> Infallible<Result> {
    Infallible<Result>(raw: asObservable().concatMap { selector($0).asObservable() })
  }

  /// Returns a stream of the elements of this stream, followed by those of another stream.
  public func concat(_ second: Infallible<Element>) -> Infallible<Element> {
    Infallible(raw: asObservable().concat(second))
  }

  /// Returns a stream of the elements of several streams, one stream after the other.
  public static func concat(_ sources: some Sequence<Infallible<Element>>) -> Infallible<Element> {
    Infallible(raw: .concat(sources.map { $0.asObservable() }))
  }

  /// Returns a stream of the elements of several streams, one stream after the other.
  public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
    concat(sources)
  }

  /// Returns a stream of the elements of several streams.
  public static func merge(
    _ sources: some Collection<Infallible<Element>>
  ) -> Infallible<Element> {
    Infallible(raw: .merge(sources.map { $0.asObservable() }))
  }

  /// Returns a stream of the elements of several streams.
  public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
    merge(sources)
  }

  /// Calls closures at the events of this stream.
  public func `do`(
    onNext: (@Sendable (Element) -> Void)? = nil,
    afterNext: (@Sendable (Element) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    afterCompleted: (@Sendable () -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Infallible<Element> {
    Infallible(
      raw: asObservable().do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted,
        afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
        onDispose: onDispose))
  }

  /// Prints the events of this stream.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false,
    file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
  ) -> Infallible<Element> {
    Infallible(
      raw: asObservable().debug(
        identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }

  /// Returns a stream of a value that a closure updates in place with each element.
  ///
  /// The seed is not emitted.
  public func scan<Seed: Sendable>(
    into seed: Seed, accumulator: @escaping @Sendable (inout Seed, Element) -> Void
  ) -> Infallible<Seed> {
    Infallible<Seed>(raw: asObservable().scan(into: seed, accumulator: accumulator))
  }

  /// Returns a stream of the results of a closure that combines the previous result with each
  /// element.
  ///
  /// The seed is not emitted.
  public func scan<Seed: Sendable>(
    _ seed: Seed, accumulator: @escaping @Sendable (Seed, Element) -> Seed
  ) -> Infallible<Seed> {
    Infallible<Seed>(raw: asObservable().scan(seed, accumulator: accumulator))
  }

  /// Returns a stream that first emits the given elements and then those of this stream.
  public func startWith(_ element: Element) -> Infallible<Element> {
    Infallible(raw: asObservable().startWith(element))
  }

  /// Returns this stream's elements until another stream emits.
  public func take<Other: InfallibleType>(until other: Other) -> Infallible<Element> {
    Infallible(raw: asObservable().take(until: other))
  }

  /// Returns this stream's elements until an element satisfies a predicate.
  public func take(
    until predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().take(until: predicate, behavior: behavior))
  }

  /// Returns this stream's elements while they satisfy a predicate.
  public func take(
    while predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().take(while: predicate, behavior: behavior))
  }

  /// Returns the first elements of this stream.
  public func take(_ count: Int) -> Infallible<Element> {
    Infallible(raw: asObservable().take(count))
  }

  /// Returns this stream's elements until a duration has passed.
  public func take(for duration: Duration, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(raw: asObservable().take(for: duration, scheduler: scheduler))
  }

  /// Returns this stream without its first elements.
  public func skip(_ count: Int) -> Infallible<Element> {
    Infallible(raw: asObservable().skip(count))
  }

  /// Returns this stream's elements from the first element that does not satisfy a predicate.
  public func skip(while predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
    Infallible(raw: asObservable().skip(while: predicate))
  }

  /// Returns this stream's elements after another stream has emitted.
  public func skip<Other: InfallibleType>(until other: Other) -> Infallible<Element> {
    Infallible(raw: asObservable().skip(until: other))
  }

  /// Returns this stream with one subscription for all simultaneous observers.
  public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> Infallible<Element> {
    Infallible(raw: asObservable().share(replay: replay, scope: scope))
  }

  /// Returns a stream of each element together with an object that the stream does not retain.
  ///
  /// The stream completes at the first element after the object is deallocated.
  public func withUnretained<Owner: AnyObject & Sendable, Result: Sendable>(
    _ object: Owner, resultSelector: @escaping @Sendable (Owner, Element) -> Result
  ) -> Infallible<Result> {
    Infallible<Result>(
      raw: asObservable().withUnretained(object, resultSelector: resultSelector))
  }

  /// Returns a stream of each element together with an object that the stream does not retain.
  public func withUnretained<Owner: AnyObject & Sendable>(
    _ object: Owner
  ) -> Infallible<(Owner, Element)> {
    withUnretained(object) { ($0, $1) }
  }

  /// Returns a stream of each element and the latest element of another stream, combined by a
  /// closure.
  public func withLatestFrom<Source: InfallibleType, Result: Sendable>(
    _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) -> Result
  ) -> Infallible<Result> {
    Infallible<Result>(
      raw: asObservable().withLatestFrom(second, resultSelector: resultSelector))
  }

  /// Returns a stream of the latest element of another stream, whenever this stream emits.
  public func withLatestFrom<Source: InfallibleType>(
    _ second: Source
  ) -> Infallible<Source.Element> {
    withLatestFrom(second) { $1 }
  }
}

extension InfallibleType where Element: Equatable {
  /// Returns this stream without elements that are equal to the previous element.
  public func distinctUntilChanged() -> Infallible<Element> {
    Infallible(raw: asObservable().distinctUntilChanged())
  }
}

extension SharedSequence {
  /// The elements of several sequences, as they come.
  public static func merge(_ sources: Self...) -> Self {
    merge(sources)
  }

  /// The elements of several sequences, as they come.
  public static func merge(_ sources: [Self]) -> Self {
    .init(keeping: .merge(sources.map { $0.asObservable() }))
  }

  /// The elements of several sequences, one after the other.
  public static func concat(_ sources: Self...) -> Self {
    .init(keeping: .concat(sources.map { $0.asObservable() }))
  }

  /// The latest elements of two sequences, made one by a closure.
  public static func combineLatest<A: Sendable, B: Sendable>(
    _ source1: SharedSequence<Strategy, A>, _ source2: SharedSequence<Strategy, B>,
    resultSelector: @escaping @Sendable (A, B) -> Element
  ) -> Self {
    .init(keeping: .combineLatest(source1, source2, resultSelector: resultSelector))
  }

  /// The latest elements of three sequences, made one by a closure.
  public static func combineLatest<A: Sendable, B: Sendable, C: Sendable>(
    _ source1: SharedSequence<Strategy, A>, _ source2: SharedSequence<Strategy, B>,
    _ source3: SharedSequence<Strategy, C>,
    resultSelector: @escaping @Sendable (A, B, C) -> Element
  ) -> Self {
    .init(keeping: .combineLatest(source1, source2, source3, resultSelector: resultSelector))
  }

  /// The elements at the same place in two sequences, made one by a closure.
  public static func zip<A: Sendable, B: Sendable>(
    _ source1: SharedSequence<Strategy, A>, _ source2: SharedSequence<Strategy, B>,
    resultSelector: @escaping @Sendable (A, B) -> Element
  ) -> Self {
    .init(keeping: .zip(source1, source2, resultSelector: resultSelector))
  }

  /// Each element together with the latest of another sequence, made one by a closure.
  public func withLatestFrom<Other: Sendable, Result: Sendable>(
    _ second: SharedSequence<some SharingStrategyProtocol, Other>,
    resultSelector: @escaping @Sendable (Element, Other) -> Result
  ) -> SharedSequence<Strategy, Result> {
    .init(keeping: asObservable().withLatestFrom(second, resultSelector: resultSelector))
  }

  /// The latest element of another sequence, whenever this one emits.
  public func withLatestFrom<Other: Sendable>(
    _ second: SharedSequence<some SharingStrategyProtocol, Other>
  ) -> SharedSequence<Strategy, Other> {
    .init(keeping: asObservable().withLatestFrom(second))
  }
}

extension SharedSequence where Element == any Sendable {
  /// The latest elements of two sequences, as a tuple.
  public static func combineLatest<A: Sendable, B: Sendable>(
    _ source1: SharedSequence<Strategy, A>, _ source2: SharedSequence<Strategy, B>
  ) -> SharedSequence<Strategy, (A, B)> {
    .combineLatest(source1, source2) { ($0, $1) }
  }

  /// The elements at the same place in two sequences, as a tuple.
  public static func zip<A: Sendable, B: Sendable>(
    _ source1: SharedSequence<Strategy, A>, _ source2: SharedSequence<Strategy, B>
  ) -> SharedSequence<Strategy, (A, B)> {
    .zip(source1, source2) { ($0, $1) }
  }
}

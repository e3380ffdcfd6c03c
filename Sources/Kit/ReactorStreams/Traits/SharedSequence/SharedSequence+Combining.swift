extension SharedSequenceConvertibleType {
  /// Returns a sequence of the elements of several sequences.
  public static func merge(
    _ sources: some Collection<SharedSequence<SharingStrategy, Element>>
  ) -> SharedSequence<SharingStrategy, Element> {
    .init(raw: .merge(sources.map { $0.asObservable() }))
  }

  /// Returns a sequence of the elements of several sequences.
  public static func merge(
    _ sources: SharedSequence<SharingStrategy, Element>...
  ) -> SharedSequence<SharingStrategy, Element> {
    merge(sources)
  }

  /// Returns a sequence of each element and the latest element of another sequence, combined by a
  /// closure.
  public func withLatestFrom<Second: SharedSequenceConvertibleType, Result: Sendable>(
    _ second: Second, resultSelector: @escaping @Sendable (Element, Second.Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    .init(raw: asObservable().withLatestFrom(second, resultSelector: resultSelector))
  }

  /// Returns a sequence of the latest element of another sequence, whenever this sequence emits.
  public func withLatestFrom<Second: SharedSequenceConvertibleType>(
    _ second: Second
  ) -> SharedSequence<SharingStrategy, Second.Element> {
    .init(raw: asObservable().withLatestFrom(second))
  }
}

extension SharedSequence {
  /// Returns a sequence of the elements of several sequences, one sequence after the other.
  public static func concat(_ sources: some Sequence<Self>) -> Self {
    .init(raw: .concat(sources.map { $0.asObservable() }))
  }

  /// Returns a sequence of the elements of several sequences, one sequence after the other.
  public static func concat(_ sources: Self...) -> Self {
    concat(sources)
  }

  /// Returns a sequence of the latest elements of several sequences, combined by a closure.
  public static func combineLatest<each Source: Sendable>(
    _ source: repeat SharedSequence<SharingStrategy, each Source>,
    resultSelector: @escaping @Sendable (repeat each Source) -> Element
  ) -> Self {
    .init(raw: .combineLatest(repeat each source, resultSelector: resultSelector))
  }

  /// Returns a sequence of the elements at the same position of several sequences, combined by a
  /// closure.
  public static func zip<each Source: Sendable>(
    _ source: repeat SharedSequence<SharingStrategy, each Source>,
    resultSelector: @escaping @Sendable (repeat each Source) -> Element
  ) -> Self {
    .init(raw: .zip(repeat each source, resultSelector: resultSelector))
  }

  /// Returns a sequence of the latest elements of any number of sequences, combined by a closure.
  public static func combineLatest<Source: Sendable>(
    _ collection: some Collection<SharedSequence<SharingStrategy, Source>>,
    resultSelector: @escaping @Sendable ([Source]) -> Element
  ) -> Self {
    .init(raw: .combineLatest(collection, resultSelector: resultSelector))
  }

  /// Returns a sequence of the latest elements of any number of sequences.
  public static func combineLatest(
    _ collection: some Collection<Self>
  ) -> SharedSequence<SharingStrategy, [Element]> {
    .init(raw: Observable<Element>.combineLatest(collection))
  }

  /// Returns a sequence of the elements at the same position of any number of sequences, combined
  /// by a closure.
  public static func zip<Source: Sendable>(
    _ collection: some Collection<SharedSequence<SharingStrategy, Source>>,
    resultSelector: @escaping @Sendable ([Source]) -> Element
  ) -> Self {
    .init(raw: .zip(collection, resultSelector: resultSelector))
  }

  /// Returns a sequence of the elements at the same position of any number of sequences.
  public static func zip(
    _ collection: some Collection<Self>
  ) -> SharedSequence<SharingStrategy, [Element]> {
    .init(raw: Observable<Element>.zip(collection))
  }
}

extension SharedSequence where Element == any Sendable {
  /// Returns a sequence of the latest elements of several sequences, as tuples.
  public static func combineLatest<each Source: Sendable>(
    _ source: repeat SharedSequence<SharingStrategy, each Source>
  ) -> SharedSequence<SharingStrategy, (repeat each Source)> {
    .init(raw: Observable<any Sendable>.combineLatest(repeat each source))
  }

  /// Returns a sequence of the elements at the same position of several sequences, as tuples.
  public static func zip<each Source: Sendable>(
    _ source: repeat SharedSequence<SharingStrategy, each Source>
  ) -> SharedSequence<SharingStrategy, (repeat each Source)> {
    .init(raw: Observable<any Sendable>.zip(repeat each source))
  }
}

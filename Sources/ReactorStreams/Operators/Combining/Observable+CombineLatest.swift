extension Observable {
  /// The latest elements of the streams, whenever one emits and all have, made one by a closure; if
  /// it throws, the stream fails.
  public static func combineLatest<
    A: ObservableConvertibleType, B: ObservableConvertibleType
  >(
    _ source1: A,
    _ source2: B,
    resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
  ) -> Observable<Element> {
    Combination.of(
      source1.asObservable(), source2.asObservable(),
      keepsLatestOnly: true, resultSelector)
  }

  /// The latest elements of the streams, whenever one emits and all have, made one by a closure; if
  /// it throws, the stream fails.
  public static func combineLatest<
    A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType
  >(
    _ source1: A,
    _ source2: B,
    _ source3: C,
    resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) throws -> Element
  ) -> Observable<Element> {
    Combination.of(
      source1.asObservable(), source2.asObservable(), source3.asObservable(),
      keepsLatestOnly: true, resultSelector)
  }

  /// The latest elements of the streams, whenever one emits and all have, made one by a closure; if
  /// it throws, the stream fails.
  public static func combineLatest<
    A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
    D: ObservableConvertibleType
  >(
    _ source1: A,
    _ source2: B,
    _ source3: C,
    _ source4: D,
    resultSelector:
      @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) throws -> Element
  ) -> Observable<Element> {
    Combination.of(
      source1.asObservable(),
      source2.asObservable(),
      source3.asObservable(),
      source4.asObservable(),
      keepsLatestOnly: true, resultSelector)
  }
}

extension Observable where Element == any Sendable {
  /// The latest elements of the streams, whenever one emits and all have, as a tuple.
  public static func combineLatest<
    A: ObservableConvertibleType, B: ObservableConvertibleType
  >(
    _ source1: A,
    _ source2: B
  ) -> Observable<(A.Element, B.Element)> {
    .combineLatest(source1, source2) { ($0, $1) }
  }

  /// The latest elements of the streams, whenever one emits and all have, as a tuple.
  public static func combineLatest<
    A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType
  >(
    _ source1: A,
    _ source2: B,
    _ source3: C
  ) -> Observable<(A.Element, B.Element, C.Element)> {
    .combineLatest(source1, source2, source3) { ($0, $1, $2) }
  }

  /// The latest elements of the streams, whenever one emits and all have, as a tuple.
  public static func combineLatest<
    A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
    D: ObservableConvertibleType
  >(
    _ source1: A,
    _ source2: B,
    _ source3: C,
    _ source4: D
  ) -> Observable<(A.Element, B.Element, C.Element, D.Element)> {
    .combineLatest(source1, source2, source3, source4) { ($0, $1, $2, $3) }
  }
}

extension ObservableType {
  /// The latest elements of any number of streams, whenever one emits and all have.
  public static func combineLatest<Source: ObservableConvertibleType<Element>>(
    _ collection: some Collection<Source>
  ) -> Observable<[Element]> {
    Observable<[Element]>.combineLatest(collection) { $0 }
  }

  /// The latest elements of any number of streams, made one by a closure.
  ///
  /// No stream gives one result, of no elements.
  public static func combineLatest<Source: ObservableConvertibleType>(
    _ collection: some Collection<Source>,
    resultSelector: @escaping @Sendable ([Source.Element]) throws -> Element
  ) -> Observable<Element> {
    guard !collection.isEmpty else {
      return .deferred { .just(try resultSelector([])) }
    }
    return Combination.of(
      collection.map { $0.asObservable() }, keepsLatestOnly: true, resultSelector)
  }
}

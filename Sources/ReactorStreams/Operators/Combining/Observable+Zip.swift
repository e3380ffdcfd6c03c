extension Observable {
  /// The elements at the same place in the streams, made one by a closure; if it throws, the stream
  /// fails.
  public static func zip<
    A: ObservableConvertibleType, B: ObservableConvertibleType
  >(
    _ source1: A,
    _ source2: B,
    resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
  ) -> Observable<Element> {
    Combination.of(
      source1.asObservable(), source2.asObservable(),
      keepsLatestOnly: false, resultSelector)
  }

  /// The elements at the same place in the streams, made one by a closure; if it throws, the stream
  /// fails.
  public static func zip<
    A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType
  >(
    _ source1: A,
    _ source2: B,
    _ source3: C,
    resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) throws -> Element
  ) -> Observable<Element> {
    Combination.of(
      source1.asObservable(), source2.asObservable(), source3.asObservable(),
      keepsLatestOnly: false, resultSelector)
  }

  /// The elements at the same place in the streams, made one by a closure; if it throws, the stream
  /// fails.
  public static func zip<
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
      keepsLatestOnly: false, resultSelector)
  }
}

extension Observable where Element == any Sendable {
  /// The elements at the same place in the streams, as a tuple.
  public static func zip<
    A: ObservableConvertibleType, B: ObservableConvertibleType
  >(
    _ source1: A,
    _ source2: B
  ) -> Observable<(A.Element, B.Element)> {
    .zip(source1, source2) { ($0, $1) }
  }

  /// The elements at the same place in the streams, as a tuple.
  public static func zip<
    A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType
  >(
    _ source1: A,
    _ source2: B,
    _ source3: C
  ) -> Observable<(A.Element, B.Element, C.Element)> {
    .zip(source1, source2, source3) { ($0, $1, $2) }
  }

  /// The elements at the same place in the streams, as a tuple.
  public static func zip<
    A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
    D: ObservableConvertibleType
  >(
    _ source1: A,
    _ source2: B,
    _ source3: C,
    _ source4: D
  ) -> Observable<(A.Element, B.Element, C.Element, D.Element)> {
    .zip(source1, source2, source3, source4) { ($0, $1, $2, $3) }
  }
}

extension ObservableType {
  /// The elements at the same place in any number of streams.
  public static func zip<Source: ObservableConvertibleType<Element>>(
    _ collection: some Collection<Source>
  ) -> Observable<[Element]> {
    Observable<[Element]>.zip(collection) { $0 }
  }

  /// The elements at the same place in any number of streams, made one by a closure.
  ///
  /// No stream gives no result.
  public static func zip<Source: ObservableConvertibleType>(
    _ collection: some Collection<Source>,
    resultSelector: @escaping @Sendable ([Source.Element]) throws -> Element
  ) -> Observable<Element> {
    guard !collection.isEmpty else { return .empty() }
    return Combination.of(
      collection.map { $0.asObservable() }, keepsLatestOnly: false, resultSelector)
  }
}

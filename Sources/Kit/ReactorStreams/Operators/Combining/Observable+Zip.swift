extension Observable {
  /// Returns a stream of the elements at the same position of several streams, combined by a
  /// closure.
  ///
  /// An error that the closure throws fails it. Elements of a stream that is ahead of the others are
  /// stored, without a limit.
  @inlinable
  public static func zip<each Source: ObservableConvertibleType>(
    _ source: repeat each Source,
    resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Element
  ) -> Observable<Element> {
    CombineSink.combining(
      (repeat (each source).asObservable()), keepsLatestOnly: false, resultSelector)
  }
}

extension Observable where Element == any Sendable {
  /// Returns a stream of the elements at the same position of several streams, as tuples.
  @inlinable
  public static func zip<each Source: ObservableConvertibleType>(
    _ source: repeat each Source
  ) -> Observable<(repeat (each Source).Element)> {
    CombineSink.combining(
      (repeat (each source).asObservable()), keepsLatestOnly: false
    ) { (element: repeat (each Source).Element) in (repeat each element) }
  }
}

extension ObservableType {
  /// Returns a stream of the elements at the same position of any number of streams.
  @inlinable
  public static func zip<Source: ObservableConvertibleType<Element>>(
    _ collection: some Collection<Source>
  ) -> Observable<[Element]> {
    Observable<[Element]>.zip(collection) { $0 }
  }

  /// Returns a stream of the elements at the same position of any number of streams, combined by a
  /// closure.
  ///
  /// An empty collection emits no result.
  @inlinable
  public static func zip<Source: ObservableConvertibleType>(
    _ collection: some Collection<Source>,
    resultSelector: @escaping @Sendable ([Source.Element]) throws -> Element
  ) -> Observable<Element> {
    guard !collection.isEmpty else { return .empty() }
    return CombineSink.combining(
      collection.map { $0.asObservable() }, keepsLatestOnly: false, resultSelector)
  }
}

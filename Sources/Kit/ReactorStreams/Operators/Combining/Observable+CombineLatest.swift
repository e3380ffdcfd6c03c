extension Observable {
  /// Returns a stream of the latest elements of several streams, combined by a closure.
  ///
  /// It emits whenever a stream emits and all have emitted. An error that the closure throws fails
  /// it.
  @inlinable
  public static func combineLatest<each Source: ObservableConvertibleType>(
    _ source: repeat each Source,
    resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Element
  ) -> Observable<Element> {
    CombineSink.combining(
      (repeat (each source).asObservable()), keepsLatestOnly: true, resultSelector)
  }
}

extension Observable where Element == any Sendable {
  /// Returns a stream of the latest elements of several streams, as tuples.
  ///
  /// It emits whenever a stream emits and all have emitted.
  @inlinable
  public static func combineLatest<each Source: ObservableConvertibleType>(
    _ source: repeat each Source
  ) -> Observable<(repeat (each Source).Element)> {
    CombineSink.combining(
      (repeat (each source).asObservable()), keepsLatestOnly: true
    ) { (element: repeat (each Source).Element) in (repeat each element) }
  }
}

extension ObservableType {
  /// Returns a stream of the latest elements of any number of streams.
  ///
  /// It emits whenever a stream emits and all have emitted.
  @inlinable
  public static func combineLatest<Source: ObservableConvertibleType<Element>>(
    _ collection: some Collection<Source>
  ) -> Observable<[Element]> {
    Observable<[Element]>.combineLatest(collection) { $0 }
  }

  /// Returns a stream of the latest elements of any number of streams, combined by a closure.
  ///
  /// It emits whenever a stream emits and all have emitted.
  ///
  /// An empty collection emits one result, for no elements.
  @inlinable
  public static func combineLatest<Source: ObservableConvertibleType>(
    _ collection: some Collection<Source>,
    resultSelector: @escaping @Sendable ([Source.Element]) throws -> Element
  ) -> Observable<Element> {
    guard !collection.isEmpty else { return .deferred { .just(try resultSelector([])) } }
    return CombineSink.combining(
      collection.map { $0.asObservable() }, keepsLatestOnly: true, resultSelector)
  }
}

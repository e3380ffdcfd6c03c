public import ReactorStreams

extension Infallible {
  /// Returns a stream of elements.
  public static func of(
    _ elements: Element..., scheduler: any SchedulerType = CurrentThreadScheduler.instance
  ) -> Infallible<Element> {
    from(elements, scheduler: scheduler)
  }

  /// Returns a stream of a sequence's elements.
  public static func from(
    _ sequence: some Sequence<Element> & Sendable,
    scheduler: any SchedulerType = CurrentThreadScheduler.instance
  ) -> Infallible<Element> {
    Infallible(raw: .from(sequence, scheduler: scheduler))
  }

  /// Returns a stream of the latest elements of several streams, combined by a closure.
  public static func combineLatest<each Source: Sendable>(
    _ source: repeat Infallible<each Source>,
    resultSelector: @escaping @Sendable (repeat each Source) -> Element
  ) -> Infallible<Element> {
    Infallible(raw: .combineLatest(repeat each source, resultSelector: resultSelector))
  }

  /// Returns a stream of the elements at the same position of several streams, combined by a
  /// closure.
  public static func zip<each Source: Sendable>(
    _ source: repeat Infallible<each Source>,
    resultSelector: @escaping @Sendable (repeat each Source) -> Element
  ) -> Infallible<Element> {
    Infallible(raw: .zip(repeat each source, resultSelector: resultSelector))
  }
}

extension InfallibleType {
  /// Returns a stream of the latest elements of any number of streams, combined by a closure.
  public static func combineLatest<Source: InfallibleType>(
    _ collection: some Collection<Source>,
    resultSelector: @escaping @Sendable ([Source.Element]) -> Element
  ) -> Infallible<Element> {
    Infallible(raw: .combineLatest(collection, resultSelector: resultSelector))
  }

  /// Returns a stream of the latest elements of any number of streams.
  public static func combineLatest<Source: InfallibleType<Element>>(
    _ collection: some Collection<Source>
  ) -> Infallible<[Element]> {
    Infallible<[Element]>(raw: Observable<Element>.combineLatest(collection))
  }
}

extension Infallible where Element == any Sendable {
  /// Returns a stream of the latest elements of several streams, as tuples.
  public static func combineLatest<each Source: Sendable>(
    _ source: repeat Infallible<each Source>
  ) -> Infallible<(repeat each Source)> {
    Infallible<(repeat each Source)>(
      raw: Observable<any Sendable>.combineLatest(repeat each source))
  }

  /// Returns a stream of the elements at the same position of several streams, as tuples.
  public static func zip<each Source: Sendable>(
    _ source: repeat Infallible<each Source>
  ) -> Infallible<(repeat each Source)> {
    Infallible<(repeat each Source)>(raw: Observable<any Sendable>.zip(repeat each source))
  }
}

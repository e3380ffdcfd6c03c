extension ObservableType where Element: ObservableConvertibleType {
  /// The elements of all inner streams.
  ///
  /// It completes when the outer stream and every inner one has completed; the first error fails it.
  public func merge() -> Observable<Element.Element> {
    flatMap { $0.asObservable() }
  }

  /// The elements of all inner streams, of which a limited number is active at a time.
  ///
  /// - Parameter maxConcurrent: The limit, at least 1; further inner streams wait.
  /// - Returns: The merged stream.
  public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    let source = asObservable()
    return Observable<Element.Element> {
      MergeSink($0, limit: max(1, maxConcurrent)) { $0.asObservable() }.attached(to: source)
    }
  }

  /// The elements of one inner stream after the other.
  public func concat() -> Observable<Element.Element> {
    merge(maxConcurrent: 1)
  }

  /// The elements of the newest inner stream.
  public func switchLatest() -> Observable<Element.Element> {
    flatMapLatest { $0.asObservable() }
  }
}

extension Observable {
  /// The elements of several streams.
  public static func merge(
    _ sources: some Collection<Observable<Element>>
  ) -> Observable<Element> {
    let sources = Array(sources)
    return Observable { MergeSink($0) { $0 }.attached(to: sources) }
  }

  /// The elements of several streams.
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }
}

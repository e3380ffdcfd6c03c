extension ObservableType where Element: ObservableConvertibleType {
  /// The elements of all inner streams, as they come.
  ///
  /// It completes when the outer stream and every inner one has; the first failure fails it.
  public func merge() -> Observable<Element.Element> {
    flatMap { $0.asObservable() }
  }

  /// The elements of all inner streams, of which so many run at a time; the others wait their turn.
  ///
  /// - Parameter maxConcurrent: How many run at a time; a number below 1 means 1.
  /// - Returns: The merged stream.
  public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    Observable<Element.Element> {
      MergeSink($0, limit: max(1, maxConcurrent)) { $0.asObservable() }.run(self)
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
  /// The elements of several streams, as they come.
  public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
    Observable<Observable<Element>>.from(sources).merge()
  }

  /// The elements of several streams, as they come.
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }
}

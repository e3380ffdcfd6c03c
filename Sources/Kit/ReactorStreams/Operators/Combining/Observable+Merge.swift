extension ObservableType where Element: ObservableConvertibleType {
  /// Returns a stream of the elements of all inner streams.
  ///
  /// The result completes when the outer stream and all inner streams have completed. The first
  /// error fails it.
  public func merge() -> Observable<Element.Element> {
    flatMap { $0.asObservable() }
  }

  /// Returns a stream of the elements of all inner streams, with a limit of active inner streams.
  ///
  /// - Parameter maxConcurrent: The limit, at least 1. Further inner streams wait; they are stored,
  ///   without a limit.
  /// - Returns: The merged stream.
  public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    let source = asObservable()
    return Observable<Element.Element> {
      MergeSink($0, limit: max(1, maxConcurrent)) { $0.asObservable() }.attached(to: source)
    }
  }

  /// Returns a stream of the elements of one inner stream after the other.
  ///
  /// Inner streams that wait are stored, without a limit.
  public func concat() -> Observable<Element.Element> {
    merge(maxConcurrent: 1)
  }

  /// Returns a stream of the elements of the latest inner stream.
  public func switchLatest() -> Observable<Element.Element> {
    flatMapLatest { $0.asObservable() }
  }
}

extension Observable {
  /// Returns a stream of the elements of several streams.
  public static func merge(
    _ sources: some Collection<Observable<Element>>
  ) -> Observable<Element> {
    let sources = Array(sources)
    return Observable { MergeSink($0) { $0 }.attached(to: sources) }
  }

  /// Returns a stream of the elements of several streams.
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }
}

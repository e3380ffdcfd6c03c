extension ObservableType {
  /// The elements of the streams that a closure returns for each element.
  ///
  /// It completes when this stream and every inner one has completed. The first error fails it,
  /// also one that the closure throws.
  public func flatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    let source = asObservable()
    return Observable<Result> { MergeSink($0, transform: selector).attached(to: source) }
  }

  /// The elements of the streams that a closure returns for each element.
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMap { try selector($0).asObservable() }
  }

  /// The elements of the stream that a closure returned last: each element of this stream disposes
  /// of the previous inner stream.
  ///
  /// No element of an inner stream arrives after its successor has started. It completes when this
  /// stream and the last inner one have completed.
  public func flatMapLatest<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    let source = asObservable()
    return Observable<Result> { SwitchSink($0, transform: selector).attached(to: source) }
  }

  /// The elements of the stream that a closure returned last: each element of this stream disposes
  /// of the previous inner stream.
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMapLatest { try selector($0).asObservable() }
  }

  /// The elements of one inner stream at a time: while it is active, elements of this stream are
  /// dropped and the closure is not called.
  public func flatMapFirst<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    let source = asObservable()
    return Observable<Result> {
      MergeSink($0, limit: 1, overflow: .drop, transform: selector).attached(to: source)
    }
  }

  /// The elements of one inner stream at a time: while it is active, elements of this stream are
  /// dropped and the closure is not called.
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMapFirst { try selector($0).asObservable() }
  }

  /// The elements of one inner stream after the other: elements of this stream that arrive while
  /// one is active wait, and the closure is called when it is their turn.
  public func concatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    let source = asObservable()
    return Observable<Result> {
      MergeSink($0, limit: 1, transform: selector).attached(to: source)
    }
  }

  /// The elements of one inner stream after the other: elements of this stream that arrive while
  /// one is active wait, and the closure is called when it is their turn.
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    concatMap { try selector($0).asObservable() }
  }
}

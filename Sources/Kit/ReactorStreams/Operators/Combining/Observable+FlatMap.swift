extension ObservableType {
  /// Returns a stream that merges the streams that a closure returns for the elements.
  ///
  /// The result completes when this stream and all inner streams have completed. The first error
  /// fails it, including an error that the closure throws.
  public func flatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    let source = asObservable()
    return Observable<Result> { MergeSink($0, transform: selector).attached(to: source) }
  }

  /// Returns a stream that merges the streams that a closure returns for the elements.
  @inlinable
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMap { try selector($0).asObservable() }
  }

  /// Returns a stream of the elements of the latest stream that a closure returned.
  ///
  /// Each element of this stream disposes of the previous inner stream. No element of an inner
  /// stream arrives after the next inner stream has started. The result completes when this stream
  /// and the last inner stream have completed.
  public func flatMapLatest<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    let source = asObservable()
    return Observable<Result> { SwitchSink($0, transform: selector).attached(to: source) }
  }

  /// Returns a stream of the elements of the latest stream that a closure returned.
  ///
  /// Each element of this stream disposes of the previous inner stream.
  @inlinable
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMapLatest { try selector($0).asObservable() }
  }

  /// Returns a stream of the elements of one inner stream at a time.
  ///
  /// While an inner stream is active, elements of this stream are dropped without calling the
  /// closure.
  public func flatMapFirst<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    let source = asObservable()
    return Observable<Result> {
      MergeSink($0, limit: 1, overflow: .drop, transform: selector).attached(to: source)
    }
  }

  /// Returns a stream of the elements of one inner stream at a time.
  ///
  /// While an inner stream is active, elements of this stream are dropped without calling the
  /// closure.
  @inlinable
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMapFirst { try selector($0).asObservable() }
  }

  /// Returns a stream of the elements of one inner stream after the other.
  ///
  /// Elements of this stream wait while an inner stream is active; the closure is called when it is
  /// their turn. They are stored, without a limit.
  public func concatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    let source = asObservable()
    return Observable<Result> {
      MergeSink($0, limit: 1, transform: selector).attached(to: source)
    }
  }

  /// Returns a stream of the elements of one inner stream after the other.
  ///
  /// Elements of this stream wait while an inner stream is active; the closure is called when it is
  /// their turn. They are stored, without a limit.
  @inlinable
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    concatMap { try selector($0).asObservable() }
  }
}

extension ObservableType {
  /// The elements of the streams that a closure makes from each element, as they come.
  ///
  /// It completes when this stream and every inner one has; the first failure, and one that the
  /// closure throws, fails it.
  public func flatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    Observable<Result> { MergeSink($0, transform: selector).run(self) }
  }

  /// The elements of the streams that a closure makes from each element, as they come.
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMap { try selector($0).asObservable() }
  }

  /// The elements of the stream that a closure made last: each element of this stream ends the
  /// inner stream before.
  ///
  /// Nothing of a stream that was left arrives after its successor began. It completes when this
  /// stream and the last inner one has.
  public func flatMapLatest<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    Observable<Result> { SwitchSink($0, transform: selector).run(self) }
  }

  /// The elements of the stream that a closure made last: each element of this stream ends the
  /// inner stream before.
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMapLatest { try selector($0).asObservable() }
  }

  /// The elements of one inner stream at a time: elements of this stream that come while one runs
  /// are dropped, and the closure is not called for them.
  public func flatMapFirst<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    Observable<Result> {
      MergeSink($0, limit: 1, overflow: .drop, transform: selector).run(self)
    }
  }

  /// The elements of one inner stream at a time: elements of this stream that come while one runs
  /// are dropped, and the closure is not called for them.
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMapFirst { try selector($0).asObservable() }
  }

  /// The elements of one inner stream after the other: elements of this stream that come while one
  /// runs wait, and the closure is called for each when its turn comes.
  public func concatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    Observable<Result> { MergeSink($0, limit: 1, transform: selector).run(self) }
  }

  /// The elements of one inner stream after the other: elements of this stream that come while one
  /// runs wait, and the closure is called for each when its turn comes.
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    concatMap { try selector($0).asObservable() }
  }
}

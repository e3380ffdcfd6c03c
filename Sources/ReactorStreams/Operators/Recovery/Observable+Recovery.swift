extension ObservableType {
  /// This stream, continued after an error by the stream that a closure returns for it.
  ///
  /// An error that the closure throws, or of the stream that it returns, passes through.
  public func `catch`(
    _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      let hasRecovered = AtomicFlag()
      return SequentialSink(downstream) { end in
        guard case .error(let error) = end, hasRecovered.set() else { return .forward(end) }
        do { return .attach(try handler(error)) } catch { return .forward(.error(error)) }
      }.attached(to: source)
    }
  }

  /// This stream, which emits one last element in place of an error.
  public func catchAndReturn(_ element: Element) -> Observable<Element> {
    self.catch { _ in .just(element) }
  }

  /// The first of several streams that does not fail: each error continues with the next stream,
  /// the error of the last one passes through.
  public static func `catch`(
    sequence: some Sequence<Observable<Element>> & Sendable
  ) -> Observable<Element> {
    Observable { downstream in
      let sources = IteratorBox(sequence)
      guard let first = sources.next() else {
        downstream.on(.completed)
        return Disposables.create()
      }
      return SequentialSink(downstream) { end in
        guard case .error = end, let next = sources.next() else { return .forward(end) }
        return .attach(next)
      }.attached(to: first)
    }
  }

  /// This stream, subscribed to again after each error.
  public func retry() -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      SequentialSink(downstream) { end in
        if case .error = end { .attach(source) } else { .forward(end) }
      }.attached(to: source)
    }
  }

  /// This stream, subscribed to again after an error.
  ///
  /// - Parameter maxAttemptCount: The limit of subscriptions, the first one included; with a value
  ///   below 1 the stream is empty.
  /// - Returns: The stream of all attempts.
  public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
    .catch(sequence: repeatElement(asObservable(), count: max(0, maxAttemptCount)))
  }
}

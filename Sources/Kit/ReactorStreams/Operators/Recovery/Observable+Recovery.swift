extension ObservableType {
  /// Returns this stream, continued after an error by the stream that a closure returns for the
  /// error.
  ///
  /// An error that the closure throws, and an error of the stream that it returns, are forwarded.
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

  /// Returns this stream, continued after an error of one type by the stream that a closure returns for
  /// the error.
  ///
  /// The stream of an effect can fail with any error. Write the type of those that the effect throws in the
  /// closure; an error of another type is forwarded:
  ///
  /// ```swift
  /// .run { send in send(.setItem(try await api.item(id))) }
  ///   .catch { (error: APIError) in .just(.setProblem(error.message)) }
  /// ```
  public func `catch`<Failure: Error>(
    _ handler: @escaping @Sendable (Failure) throws -> Observable<Element>
  ) -> Observable<Element> {
    self.catch { (error: any Error) in
      guard let failure = error as? Failure else { throw error }
      return try handler(failure)
    }
  }

  /// Returns this stream with an error replaced by a last element and the completion.
  public func catchAndReturn(_ element: Element) -> Observable<Element> {
    self.catch { _ in .just(element) }
  }

  /// RxSwift 5's name of ``catchAndReturn(_:)``.
  public func catchErrorJustReturn(_ element: Element) -> Observable<Element> {
    catchAndReturn(element)
  }

  /// Returns a stream that continues with the next of several streams after each error.
  ///
  /// The error of the last stream is forwarded.
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

  /// Returns this stream, subscribed to again after each error.
  public func retry() -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      SequentialSink(downstream) { end in
        if case .error = end { .attach(source) } else { .forward(end) }
      }.attached(to: source)
    }
  }

  /// Returns this stream, subscribed to again after an error, up to a number of attempts.
  ///
  /// - Parameter maxAttemptCount: The maximum number of subscriptions, including the first one.
  ///   With a value below 1 the stream is empty.
  /// - Returns: The stream of all attempts.
  public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
    .catch(sequence: repeatElement(asObservable(), count: max(0, maxAttemptCount)))
  }
}

extension ObservableType {
  /// Returns a stream of the results of a closure that combines the previous result with each
  /// element.
  ///
  /// - Parameters:
  ///   - seed: The previous result for the first element. It is not emitted.
  ///   - accumulator: Returns the next result.
  /// - Returns: The stream of results.
  @inlinable
  public func scan<Result: Sendable>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
  ) -> Observable<Result> {
    scan(into: seed) { $0 = try accumulator($0, $1) }
  }

  /// Returns a stream of a value that a closure updates in place with each element.
  ///
  /// - Parameters:
  ///   - seed: The initial value. It is not emitted.
  ///   - accumulator: Updates the value.
  /// - Returns: The stream of values.
  @inlinable
  public func scan<Result: Sendable>(
    into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) throws -> Void
  ) -> Observable<Result> {
    lift(state: { Box<Result?>(seed) }) { element, accumulated, sink in
      // Move the value out, so that no lock is held during the call and the closure updates it in
      // place.
      guard var result = accumulated.withLock({ $0.take() }) else { return }
      try accumulator(&result, element)
      accumulated.withLock { $0 = result }
      sink.forward(result)
    }
  }

  /// Returns a stream of the result of a closure over all elements, emitted when this stream
  /// completes.
  public func reduce<Result: Sendable>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
  ) -> Observable<Result> {
    reduce(seed, accumulator: accumulator) { $0 }
  }

  /// Returns a stream of the transformed result of a closure over all elements, emitted when this
  /// stream completes.
  public func reduce<Accumulated: Sendable, Result: Sendable>(
    _ seed: Accumulated,
    accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated,
    mapResult: @escaping @Sendable (Accumulated) throws -> Result
  ) -> Observable<Result> {
    lift(state: { Box(seed) }) { element, accumulated, _ in
      let next = try accumulator(accumulated.value, element)
      accumulated.withLock { $0 = next }
    } completed: { accumulated, sink in
      sink.forward(try mapResult(accumulated.value))
    }
  }

  /// Returns a stream of each element with its index, counted from 0.
  public func enumerated() -> Observable<(index: Int, element: Element)> {
    lift(state: { Box(0) }) { element, next, sink in
      let index = next.withLock { next in
        defer { next += 1 }
        return next
      }
      sink.forward((index, element))
    }
  }
}

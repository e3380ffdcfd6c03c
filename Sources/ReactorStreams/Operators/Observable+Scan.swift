public import Synchronization

extension ObservableType {
  /// What a closure makes from the result before and each element.
  ///
  /// The first result before is the seed, which itself is not emitted.
  @inlinable
  public func scan<Result: Sendable>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
  ) -> Observable<Result> {
    scan(into: seed) { $0 = try accumulator($0, $1) }
  }

  /// What a closure makes of a value with each element.
  ///
  /// The value begins as the seed, which itself is not emitted.
  @inlinable
  public func scan<Result: Sendable>(
    into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) throws -> Void
  ) -> Observable<Result> {
    lift {
      let accumulated = Mutex<Result?>(seed)
      return { event, sink in
        switch event {
        case .next(let element):
          // Taken out, so that no lock is held meanwhile and the closure changes it in place.
          guard var result = accumulated.withLock({ $0.take() }) else { return }
          do {
            try accumulator(&result, element)
          } catch {
            return sink.finish(error)
          }
          accumulated.withLock { $0 = result }
          sink.forward(result)
        case .error(let error): sink.finish(error)
        case .completed: sink.finish()
        }
      }
    }
  }

  /// What a closure makes from all elements, once this stream has completed.
  public func reduce<Result: Sendable>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
  ) -> Observable<Result> {
    scan(seed, accumulator: accumulator).takeLast(1).ifEmpty(default: seed)
  }

  /// Each element with its place, counted from 0.
  public func enumerated() -> Observable<(index: Int, element: Element)> {
    lift {
      let next = Atomic<Int>(0)
      return { event, sink in
        switch event {
        case .next(let element):
          sink.forward((next.add(1, ordering: .relaxed).oldValue, element))
        case .error(let error): sink.finish(error)
        case .completed: sink.finish()
        }
      }
    }
  }
}

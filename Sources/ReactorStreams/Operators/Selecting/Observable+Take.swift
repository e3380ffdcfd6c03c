internal import Synchronization

/// Whether the element that decides belongs to the stream.
public enum TakeBehavior: Sendable {
  /// It belongs to the stream, as its last.
  case inclusive

  /// It does not.
  case exclusive
}

extension ObservableType {
  /// The first elements of this stream; it completes with the last of them.
  ///
  /// - Parameter count: How many; a number below 1 means none, and this stream is not subscribed to.
  /// - Returns: The beginning of the stream.
  public func take(_ count: Int) -> Observable<Element> {
    guard count > 0 else { return .empty() }
    return lift {
      let left = Atomic<Int>(count)
      return { event, sink in
        switch event {
        case .next(let element):
          let left = left.subtract(1, ordering: .relaxed).newValue
          if left >= 0 { sink.forward(element) }
          if left == 0 { sink.finish() }
        case .error(let error): sink.finish(error)
        case .completed: sink.finish()
        }
      }
    }
  }

  /// This stream's elements until a closure does not hold.
  public func take(
    while predicate: @escaping @Sendable (Element) throws -> Bool,
    behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    lift { element, sink in
      if try predicate(element) { return sink.forward(element) }
      if behavior == .inclusive { sink.forward(element) }
      sink.finish()
    }
  }

  /// This stream's elements until a closure holds.
  public func take(
    until predicate: @escaping @Sendable (Element) throws -> Bool,
    behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    take(while: { try !predicate($0) }, behavior: behavior)
  }

  /// The last elements of this stream, once it has completed.
  ///
  /// - Parameter count: How many at most; a number below 1 means none.
  /// - Returns: The end of the stream.
  public func takeLast(_ count: Int) -> Observable<Element> {
    lift {
      let kept = Mutex(ReplayBuffer<Element>(limit: count))
      return { event, sink in
        switch event {
        case .next(let element): _ = kept.withLock { $0.append(element) }
        case .error(let error): sink.finish(error)
        case .completed:
          for element in kept.withLock({ $0.elements }) { sink.forward(element) }
          sink.finish()
        }
      }
    }
  }
}

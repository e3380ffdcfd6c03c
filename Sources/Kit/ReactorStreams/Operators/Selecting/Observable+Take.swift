/// Whether the element that ends a `take(while:)` or `take(until:)` belongs to the stream.
public enum TakeBehavior: Sendable {
  /// The element is emitted as the last one.
  case inclusive

  /// The element is dropped.
  case exclusive
}

extension ObservableType {
  /// Returns the first elements of this stream.
  ///
  /// The last of them completes the result.
  ///
  /// - Parameter count: The number of elements. With a value below 1 the result is empty, and this
  ///   stream is not subscribed to.
  /// - Returns: A stream of at most `count` elements.
  public func take(_ count: Int) -> Observable<Element> {
    guard count > 0 else { return .empty() }
    return lift(state: { Box(count) }) { element, remaining, sink in
      let remaining = remaining.withLock { remaining in
        remaining -= 1
        return remaining
      }
      if remaining >= 0 { sink.forward(element) }
      if remaining == 0 { sink.finish() }
    }
  }

  /// Returns this stream's elements while they satisfy a predicate.
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

  /// Returns this stream's elements until an element satisfies a predicate.
  public func take(
    until predicate: @escaping @Sendable (Element) throws -> Bool,
    behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    take(while: { try !predicate($0) }, behavior: behavior)
  }

  /// Returns the last elements of this stream, emitted when it completes.
  ///
  /// - Parameter count: The maximum number of elements. With a value below 1 the result has no
  ///   elements.
  /// - Returns: A stream of at most `count` elements.
  public func takeLast(_ count: Int) -> Observable<Element> {
    lift(state: { Box(ReplayBuffer<Element>(limit: count)) }) { element, buffer, _ in
      _ = buffer.withLock { $0.append(element) }
    } completed: { buffer, sink in
      for element in buffer.value.elements { sink.forward(element) }
    }
  }
}

extension ObservableType {
  /// Returns this stream without its first elements.
  ///
  /// - Parameter count: The number of elements to drop; a value below 1 drops none.
  /// - Returns: The rest of the stream.
  public func skip(_ count: Int) -> Observable<Element> {
    lift(state: { Box(0) }) { element, skipped, sink in
      let isDropped = skipped.withLock { skipped in
        guard skipped < count else { return false }
        skipped += 1
        return true
      }
      if !isDropped { sink.forward(element) }
    }
  }

  /// Returns this stream's elements from the first element that does not satisfy a predicate.
  public func skip(
    while predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    lift(state: { AtomicFlag() }) { element, isOpen, sink in
      if !isOpen.isSet {
        guard try !predicate(element) else { return }
        isOpen.set()
      }
      sink.forward(element)
    }
  }
}

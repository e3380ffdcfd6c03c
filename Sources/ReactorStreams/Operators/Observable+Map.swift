extension ObservableType {
  /// Each element, changed by a closure.
  ///
  /// If it throws, the stream fails.
  @inlinable
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Observable<Result> {
    lift { element, sink in sink.forward(try transform(element)) }
  }

  /// Each element, changed by a closure; where it gives `nil`, nothing.
  @inlinable
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Observable<Result> {
    lift { element, sink in
      if let result = try transform(element) { sink.forward(result) }
    }
  }

  /// The elements for which a closure holds.
  @inlinable
  public func filter(
    _ isIncluded: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    lift { element, sink in
      if try isIncluded(element) { sink.forward(element) }
    }
  }
}

extension ObservableType where Element: Equatable {
  /// Returns this stream without elements that are equal to the previous element.
  @inlinable
  public func distinctUntilChanged() -> Observable<Element> {
    distinctUntilChanged({ $0 }, comparer: ==)
  }
}

extension ObservableType {
  /// Returns this stream without elements whose key is equal to that of the previous element.
  @inlinable
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<Element> {
    distinctUntilChanged(keySelector, comparer: ==)
  }

  /// Returns this stream without elements that a closure considers equal to the last emitted
  /// element.
  @inlinable
  public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (_ lhs: Element, _ rhs: Element) throws -> Bool
  ) -> Observable<Element> {
    distinctUntilChanged({ $0 }, comparer: comparer)
  }

  /// Returns this stream without elements whose property is equal to that of the previous element.
  @inlinable
  public func distinctUntilChanged<Property: Equatable & Sendable>(
    at keyPath: any KeyPath<Element, Property> & Sendable
  ) -> Observable<Element> {
    distinctUntilChanged { $0[keyPath: keyPath] == $1[keyPath: keyPath] }
  }

  /// Returns this stream without elements whose key a closure considers equal to that of the last
  /// emitted element.
  @inlinable
  public func distinctUntilChanged<Key: Sendable>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key,
    comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) throws -> Bool
  ) -> Observable<Element> {
    lift(state: { Box<Key?>(nil) }) { element, current, sink in
      let key = try keySelector(element)
      if let current = current.value, try comparer(current, key) { return }
      // The previous key is released outside of the lock.
      _ = current.withLock { current in
        defer { current = key }
        return current.take()
      }
      sink.forward(element)
    }
  }
}

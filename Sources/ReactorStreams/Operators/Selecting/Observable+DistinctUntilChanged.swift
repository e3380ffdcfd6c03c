public import Synchronization

extension ObservableType where Element: Equatable {
  /// This stream's elements without those that are equal to the one before.
  @inlinable
  public func distinctUntilChanged() -> Observable<Element> {
    distinctUntilChanged({ $0 }, comparer: ==)
  }
}

extension ObservableType {
  /// This stream's elements without those whose key is equal to that of the one before.
  @inlinable
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<Element> {
    distinctUntilChanged(keySelector, comparer: ==)
  }

  /// This stream's elements without those that a closure calls equal to the one before.
  @inlinable
  public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (_ lhs: Element, _ rhs: Element) throws -> Bool
  ) -> Observable<Element> {
    distinctUntilChanged({ $0 }, comparer: comparer)
  }

  /// This stream's elements without those whose property is equal to that of the one before.
  @inlinable
  public func distinctUntilChanged<Property: Equatable & Sendable>(
    at keyPath: any KeyPath<Element, Property> & Sendable
  ) -> Observable<Element> {
    distinctUntilChanged { $0[keyPath: keyPath] == $1[keyPath: keyPath] }
  }

  /// This stream's elements without those whose key a closure calls equal to that of the one that
  /// was emitted before.
  @inlinable
  public func distinctUntilChanged<Key: Sendable>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key,
    comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) throws -> Bool
  ) -> Observable<Element> {
    lift {
      let current = Mutex<Key?>(nil)
      return { event, sink in
        switch event {
        case .next(let element):
          do {
            let key = try keySelector(element)
            if let current = current.withLock({ $0 }), try comparer(current, key) { return }
            _ = current.withLock { current in
              defer { current = key }
              return current.take()
            }
            sink.forward(element)
          } catch {
            sink.finish(error)
          }
        case .error(let error): sink.finish(error)
        case .completed: sink.finish()
        }
      }
    }
  }
}

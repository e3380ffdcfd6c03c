extension Optional {
  /// Stores a value.
  ///
  /// - Returns: The previous value, so that it can be released outside of a lock.
  package mutating func swap(with value: Wrapped) -> Wrapped? {
    defer { self = value }
    return take()
  }
}

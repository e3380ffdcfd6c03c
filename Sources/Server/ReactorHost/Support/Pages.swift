extension Collection {
  /// Returns the first elements that fit into a page; at least one.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements.
  ///   - bound: The page ends after this number of bytes.
  ///   - size: Returns the size of an element, in bytes.
  /// - Returns: The elements.
  package func page(
    limit: Int, bytes bound: Int, size: (Element) -> Int
  ) -> SubSequence {
    var bytes = 0
    return prefix(limit).prefix { element in
      defer { bytes += size(element) }
      return bytes < bound
    }
  }
}

extension JSONDocument {
  /// Returns the path from the root to a node.
  ///
  /// Computed on demand by descending from the root, so that decoding does not maintain coding
  /// paths.
  func path(to target: UInt32) -> [JSONPathKey] {
    var path: [JSONPathKey] = []
    var current: UInt32 = 0
    while current != target {
      guard let (key, child) = step(from: current, towards: target) else { break }
      path.append(key)
      current = child
    }
    return path
  }

  private func step(from container: UInt32, towards target: UInt32) -> (JSONPathKey, UInt32)? {
    let isObject = node(container).kind == .object
    var position = 0
    var index = container + 1
    while index < node(container).next {
      let value = isObject ? index + 1 : index
      if value <= target, target < node(value).next {
        let key = isObject ? JSONPathKey(string(node(index))) : JSONPathKey(position)
        return (key, value)
      }
      position += 1
      index = node(value).next
    }
    return nil
  }
}

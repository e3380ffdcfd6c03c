extension JSONDifference {
  /// The first value at which two texts differ.
  public struct Place: Equatable, Sendable {
    /// The pointer to the value.
    public let pointer: JSONPointer

    /// The JSON of the value in the first text, or `nil` if the text does not have it.
    public let first: [UInt8]?

    /// The JSON of the value in the second text, or `nil` if the text does not have it.
    public let second: [UInt8]?
  }

  /// Finds the first value at which two texts differ, in the order of the first text.
  ///
  /// - Returns: The innermost value that differs, or the whole texts if one of them is not JSON, or
  ///   `nil` if the texts are equal.
  public static func first(between first: [UInt8], and second: [UInt8]) -> Place? {
    guard first != second else { return nil }
    guard var left = (try? JSONDocument(parsing: first))?.root,
      var right = (try? JSONDocument(parsing: second))?.root
    else { return Place(pointer: .root, first: first, second: second) }
    var pointer = JSONPointer.root
    while let (token, inner, other) = firstChild(of: left, differentIn: right) {
      pointer.tokens.append(token)
      guard let inner, let other else {
        return Place(
          pointer: pointer, first: inner.map { Array($0.bytes) },
          second: other.map { Array($0.bytes) })
      }
      (left, right) = (inner, other)
    }
    return Place(pointer: pointer, first: Array(left.bytes), second: Array(right.bytes))
  }

  /// Returns the first member or element that differs, or `nil` if the values have none, or only the
  /// order of their members differs.
  private static func firstChild(
    of left: JSONElement, differentIn right: JSONElement
  ) -> (token: String, JSONElement?, JSONElement?)? {
    if let members = left.members, let others = right.members {
      for (name, value) in members {
        let other = right[name]
        if other.map({ $0.bytes != value.bytes }) ?? true { return (name, value, other) }
      }
      return others.first { left[$0.name] == nil }.map { ($0.name, nil, $0.value) }
    }
    guard let elements = left.elements, let others = right.elements else { return nil }
    for index in 0..<max(elements.count, others.count) {
      let element = index < elements.count ? elements[index] : nil
      let other = index < others.count ? others[index] : nil
      if element?.bytes != other?.bytes { return ("\(index)", element, other) }
    }
    return nil
  }
}

/// The members of objects by the nodes of their names; the value of a member is the next node.
extension JSONDocument {
  /// Returns the nodes of an object's member names.
  func names(of object: UInt32) -> [UInt32] {
    var names: [UInt32] = []
    var index = object + 1
    while index < node(object).next {
      names.append(index)
      index = node(index + 1).next
    }
    return names
  }

  /// Whether two of some member names are equal.
  func hasRepeatedName(_ names: [UInt32]) -> Bool {
    // For a few names, comparing is faster than hashing.
    guard names.count > 8 else {
      return names.indices.contains { index in
        names[..<index].contains { isSameName($0, names[index]) }
      }
    }
    return Set(names.map { text(of: $0) }).count < names.count
  }

  private func isSameName(_ left: UInt32, _ right: UInt32) -> Bool {
    let (one, other) = (node(left), node(right))
    if one.hasEscapes || other.hasEscapes { return text(of: left) == text(of: right) }
    return one.end - one.start == other.end - other.start
      && bytes[Int(one.start)..<Int(one.end)] == bytes[Int(other.start)..<Int(other.end)]
  }

  /// The content of a member name.
  func text(of name: UInt32) -> UTF8Text {
    UTF8Text(string(node(name)))
  }

  /// The bytes of a value or a name.
  func text(at index: UInt32) -> ArraySlice<UInt8> {
    let node = node(index)
    return bytes[Int(node.start)..<Int(node.end)]
  }
}

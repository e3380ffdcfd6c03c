extension JSONElement {
  /// The value that a pointer refers to, relative to this one, or `nil` if it does not exist.
  ///
  /// An array token is a position without leading zeros; `-` refers to no value.
  public subscript(pointer: JSONPointer) -> JSONElement? {
    var element = self
    for token in pointer.tokens {
      let child: JSONElement? =
        switch element.kind {
        case .object: element[token]
        case .array: JSONPointer.position(token).flatMap { element[$0] }
        default: nil
        }
      guard let child else { return nil }
      element = child
    }
    return element
  }
}

extension JSONPointer {
  /// Returns the bytes of the value that this pointer refers to in an encoded text, or `nil` if it
  /// does not exist.
  ///
  /// - Throws: The position and reason of a syntax error in the text.
  public func bytes(in text: [UInt8]) throws(JSONSyntaxError) -> ArraySlice<UInt8>? {
    guard !tokens.isEmpty else { return text[...] }
    return try JSONDocument(parsing: text).root[self]?.bytes
  }

  /// Returns the array position of a token.
  static func position(_ token: String) -> Int? {
    guard token.utf8.count == 1 || token.utf8.first != ASCII.zero,
      token.utf8.allSatisfy({ ASCII.digit($0) != nil })
    else { return nil }
    return Int(token)
  }
}

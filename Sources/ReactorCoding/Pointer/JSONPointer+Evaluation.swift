extension JSONElement {
  /// The value that a pointer names, starting here; `nil` where there is none.
  ///
  /// In an array a token is a position without leading zeros; `-` names no value.
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
  /// The bytes of the value that this pointer names in an encoded text; `nil` where there is none.
  ///
  /// - Throws: Where and why the text is not JSON.
  public func bytes(in text: [UInt8]) throws(JSONSyntaxError) -> ArraySlice<UInt8>? {
    guard !tokens.isEmpty else { return text[...] }
    return try JSONDocument(parsing: text).root[self]?.bytes
  }

  /// The position that a token stands for in an array.
  static func position(_ token: String) -> Int? {
    guard token == "0" || token.utf8.first != ASCII.zero,
      token.utf8.allSatisfy({ ASCII.digit($0) != nil })
    else { return nil }
    return Int(token)
  }
}

internal import ReactorCore

extension Claims {
  /// Returns the value of a claim, or of a member of one: `realm_access.roles`.
  ///
  /// A claim with the whole text as its name comes first, since names of claims contain dots
  /// (`https://example.com/roles`); then the shortest part before a dot that names an object.
  func value(at path: String) -> Value? {
    if let value = self[path] { return value }
    var rest = path[...]
    while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[path.utf8.index(after: dot)...]
      guard case .object(let object)? = self[String(path[..<dot])] else { continue }
      if let value = object.value(at: String(rest)) { return value }
    }
    return nil
  }

  /// Returns the text at a path, or `nil` for another value and for none.
  func text(at path: String) -> String? {
    if case .string(let text) = value(at: path) { text } else { nil }
  }
}

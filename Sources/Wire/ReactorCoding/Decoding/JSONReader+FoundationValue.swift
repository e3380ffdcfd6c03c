extension JSONReader {
  /// Reads a type of Foundation from its form, or from the form of earlier releases, which was that of
  /// the type's own `init(from:)`.
  @inline(never)
  func read<Value: Decodable>(_ type: Value.Type, in form: FoundationValue) throws -> Value {
    switch (form, entry.kind) {
    case (_, .string):
      guard let value = form.value(of: try string(), as: type) else { throw unreadable(form) }
      return value
    case (.decimal, .number):
      guard let value = FoundationValue.decimal(element.bytes, as: type) else {
        throw unreadable(form)
      }
      return value
    case (.date, .number), (.url, .object), (.data, .array), (.decimal, .object):
      return try Value(from: self)
    case (.decimal, _): throw mismatch("number").wrapped()
    default: throw mismatch("string").wrapped()
    }
  }

  private func unreadable(_ form: FoundationValue) -> DecodingError {
    UnreadableValue(
      node: node, expected: form == .decimal ? ["number", "string"] : ["string"],
      detail: form.advice
    ).wrapped()
  }
}

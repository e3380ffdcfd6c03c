/// The most frequent JSON of a type, read and written without the coding that the compiler derives.
///
/// The derived coding of an enum opens two generic containers per case, whose types are looked up at run
/// time. An enum that wraps a type with a coding of its own in one of its cases pays for them with every
/// value. A frequent form reads the text of that case, and writes it, in one step.
public struct FrequentForm<Value>: Sendable {
  private let beginning: [UInt8]
  private let readValue: @Sendable (JSONInput) throws -> (value: Value, json: [UInt8])?

  /// Creates a form.
  ///
  /// - Parameters:
  ///   - beginning: The first bytes of all texts in the form; other texts are not parsed.
  ///   - read: Returns the value of a text with the JSON that `JSONCoder` encodes it as; `nil`, or an
  ///     error, for a text in another form.
  package init(
    beginning: StaticString,
    read: @escaping @Sendable (JSONInput) throws -> (value: Value, json: [UInt8])?
  ) {
    self.beginning = Array(beginning.description.utf8)
    readValue = read
  }

  /// The form of a type, or `nil` if the type has none.
  public init?(of type: Value.Type) {
    func form<Formed: FrequentlyFormed>(of type: Formed.Type) -> Any? { Formed.frequentForm }
    guard let type = type as? any FrequentlyFormed.Type, let form = form(of: type) as? Self
    else { return nil }
    self = form
  }

  /// Reads a client's text, see ``JSONCoder/Strictness/strict``.
  ///
  /// - Returns: The value, and its JSON as `JSONCoder` encodes it, or `nil` for a text in another form,
  ///   which `JSONCoder` decodes or rejects with an explanation.
  public func read(_ text: [UInt8]) -> (value: Value, json: [UInt8])? {
    guard text.starts(with: beginning), let document = try? JSONDocument(parsing: text)
    else { return nil }
    return try? readValue(JSONInput(document.root))
  }
}

/// A type whose most frequent form of JSON is read and written without its derived coding.
public protocol FrequentlyFormed: Codable {
  /// The most frequent form, or `nil` if the type has none.
  static var frequentForm: FrequentForm<Self>? { get }
}

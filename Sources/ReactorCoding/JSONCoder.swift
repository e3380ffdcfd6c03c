/// Turns `Codable` values into JSON and back: the one door through which JSON enters and leaves.
///
/// - Members of structs stand in the order of their declaration, those of dictionaries sorted by
///   name, so that the same State always gives the same bytes. What is `nil` is written as `null`.
/// - An enum's case is written in the shortest form that reads back: `"increase"`,
///   `{"follow":7}` for one value without a label, `{"move":{"x":1,"y":2}}` otherwise. All of
///   `"increase"`, `{"increase":{}}`, `{"follow":7}` and `{"follow":{"_0":7}}` are read.
/// - Numbers are exact: an integer is never rounded, a `Double` takes the shortest digits that read
///   back, and what has no JSON form (NaN, infinity) is an error.
///
/// Encoding and decoding happen on the caller's thread and keep nothing; the only calls out are to
/// the type's own `Codable` conformance.
public enum JSONCoder {
  /// How an enum's cases are read.
  public enum Strictness: Sendable {
    /// For what was written by us, perhaps by an older version: labels that a case does not have
    /// are ignored.
    case lenient

    /// For what a client sends: a value for a case that takes none, or a label that the case does
    /// not have, is an error.
    case strict
  }

  /// The compact JSON text of a value.
  ///
  /// - Throws: `EncodingError` that names the place of a value JSON cannot express, or whatever the
  ///   value's own `encode(to:)` throws.
  public static func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
    try Series().encode(value)
  }

  /// Encodes several values, one after the other, with what the first one made room for.
  ///
  /// One thread at a time.
  public struct Series: ~Copyable {
    /// There until the series has ended.
    private var output: JSONOutput?

    /// Makes a series without values.
    ///
    /// - Parameter spare: Lends its buffers; ``end(keepingBuffersIn:)`` gives them back.
    public init(in spare: SpareBuffers? = nil) {
      output = spare?.take() ?? JSONOutput()
    }

    /// Ends a series, none of whose values has failed, and leaves what it was encoded in to the next.
    public consuming func end(keepingBuffersIn spare: SpareBuffers) {
      spare.keep(&output)
    }

    /// The compact JSON text of a value.
    ///
    /// - Throws: As ``JSONCoder/encode(_:)`` does; the series is of no use then.
    public func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
      guard let output else { return [] }  // it has ended, and cannot be called
      try output.write(value, inside: nil)
      if let misuse = output.misuse { throw misuse }
      return output.takeBytes()
    }
  }

  /// Parses a text and makes a value from it.
  ///
  /// - Throws: `JSONSyntaxError` for what is not JSON, `JSONDecodingFailure` for JSON that is not
  ///   this type.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], strictness: Strictness = .lenient
  ) throws -> Value {
    try decode(type, from: JSONDocument(parsing: bytes).root, strictness: strictness)
  }

  /// Makes a value from one that is parsed already; pointers in errors start at the document.
  ///
  /// - Throws: What the JSON should have been, and where.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from element: JSONElement, strictness: Strictness = .lenient
  ) throws(JSONDecodingFailure) -> Value {
    do {
      let reader = JSONReader(
        document: element.document, node: element.node, isStrict: strictness == .strict)
      return try reader.read(type)
    } catch {
      throw UnreadableValue.from(error, at: element.node, in: element.document)
        .failure(in: element.document)
    }
  }

  /// The names of an enum's cases as JSON has them, in the order of their declaration; `nil` for
  /// another type, or if they cannot be known.
  public static func caseNames<Value: Decodable>(of type: Value.Type) -> [String]? {
    CaseNames.of(type)
  }
}

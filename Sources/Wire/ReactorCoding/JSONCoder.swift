/// Encodes `Codable` values as JSON and decodes them.
///
/// - Equal values have equal bytes, in each process: members of structs keep their declaration
///   order, members of dictionaries are sorted by name, and the elements of sets and the pairs of
///   dictionaries whose keys are no coding keys are sorted by their bytes. `nil` is written as `null`.
/// - An enum case is written in the shortest form that can be read back: `"increase"`,
///   `{"follow":7}` for a single unlabelled value, `{"move":{"x":1,"y":2}}` otherwise. The decoder
///   accepts `"increase"`, `{"increase":{}}`, `{"follow":7}` and `{"follow":{"_0":7}}`.
/// - Numbers are exact: integers are never rounded, a `Double` is written with the fewest digits
///   that round-trip, and NaN and infinity are errors.
///
/// Encoding and decoding run on the caller's thread and call only the `Codable` conformances of the
/// type.
public enum JSONCoder {
  /// How strictly enum cases and objects are decoded.
  public enum Strictness: Sendable {
    /// For stored JSON, possibly written by an older version: labels that a case does not declare
    /// are ignored.
    case lenient

    /// For JSON from clients: a value for a case without associated values, or a label that the
    /// case does not declare, is an error.
    case strict

    /// For the bodies of addresses, whose members no client may misspell: like ``strict``, and a member that the type
    /// does not declare is an error.
    case exact
  }

  /// Returns the compact JSON of a value.
  ///
  /// - Throws: `EncodingError` with the path of a value that JSON cannot express, ``JSONDepthError``
  ///   if the JSON would be nested too deep to be decoded, or the error of the value's own
  ///   `encode(to:)`.
  public static func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
    try Series().encode(value)
  }

  /// Encodes several values in sequence with one buffer.
  ///
  /// Not thread-safe.
  public struct Series: ~Copyable {
    /// `nil` once the series has ended.
    private var output: JSONOutput?
    private let depthLimit: Int

    /// Creates a series.
    ///
    /// - Parameters:
    ///   - spare: Lends its buffer until ``end(keepingBuffersIn:)``.
    ///   - depthLimit: The maximum depth of nested arrays and objects.
    public init(
      in spare: SpareBuffers? = nil, depthLimit: Int = JSONDocument.defaultDepthLimit
    ) {
      let output = spare?.take() ?? JSONOutput()
      output.begin(depthLimit: depthLimit)
      self.output = output
      self.depthLimit = depthLimit
    }

    /// The depth of the arrays and objects in the JSON of the last value; 0 before the first one.
    public var depth: Int { output?.deepest ?? 0 }

    /// Ends a series without failed values and returns its buffer to `spare`.
    public consuming func end(keepingBuffersIn spare: SpareBuffers) {
      spare.keep(&output)
    }

    /// Encodes a value, and copies the text of the elements that the former value has.
    ///
    /// - Parameters:
    ///   - value: A value that consists of values alone, see ``EncodedElements``.
    ///   - elements: Those of the former value; replaced by those of this one.
    /// - Returns: The compact JSON, the same as that of ``encode(_:)``.
    /// - Throws: Like ``JSONCoder/encode(_:)``. Discard the series after an error.
    public func encode<Value: Encodable & Sendable>(
      _ value: Value, reusing elements: EncodedElements
    ) throws -> [UInt8] {
      guard let output else { return [] }  // unreachable: `end` consumes the series
      let former = elements.take()
      guard former.text.count >= EncodedElements.leastSize else {
        let text = try encode(value)
        elements.keep(EncodedElements.Contents(text: text))
        return text
      }
      let recorder = ElementRecorder(former)
      output.elements = recorder
      defer { output.elements = nil }
      output.bytes.reserveCapacity(former.text.count + former.text.count / 16)
      let text = try encode(value)
      elements.keep(EncodedElements.Contents(text: text, arrays: recorder.arrays))
      return text
    }

    /// Returns the compact JSON of a value.
    ///
    /// - Throws: Like ``JSONCoder/encode(_:)``. Discard the series after an error.
    public func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
      guard let output else { return [] }  // unreachable: `end` consumes the series
      output.begin(depthLimit: depthLimit)
      try output.write(value, inside: nil)
      if let misuse = output.misuse { throw misuse }
      return output.takeBytes()
    }
  }

  /// Parses a text and decodes a value from it.
  ///
  /// - Throws: `JSONSyntaxError` if the text is not JSON, `JSONDecodingFailure` if it does not
  ///   match the type.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], strictness: Strictness = .lenient
  ) throws -> Value {
    try decode(type, from: JSONDocument(parsing: bytes).root, strictness: strictness)
  }

  /// Decodes a value from a parsed element; pointers in errors start at the document.
  ///
  /// - Throws: The pointer of the invalid value and what is expected there.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from element: JSONElement, strictness: Strictness = .lenient
  ) throws(JSONDecodingFailure) -> Value {
    do {
      let reader = JSONReader(
        document: element.document, node: element.node, strictness: strictness)
      return try reader.read(type)
    } catch {
      throw UnreadableValue.from(error, at: element.node, in: element.document)
        .failure(in: element.document)
    }
  }

  /// Returns the case names of an enum in declaration order, or `nil` for other types, or if they
  /// cannot be determined.
  public static func caseNames<Value: Decodable>(of type: Value.Type) -> [String]? {
    CaseNames.of(type)
  }
}

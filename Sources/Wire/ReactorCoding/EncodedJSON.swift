/// JSON that is already encoded and is embedded verbatim in other JSON.
///
/// The log stores actions and mutations as bytes; a response that includes them copies these bytes
/// instead of decoding and encoding them again. Decoding accepts any value and retains its text.
public struct EncodedJSON: Hashable, Sendable {
  /// The text of exactly one JSON value.
  public let bytes: ArraySlice<UInt8>

  /// Wraps a text encoded or parsed by this module, without validating it.
  public init(trusted bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  /// Wraps a text encoded or parsed by this module, without validating it.
  public init(trusted bytes: [UInt8]) {
    self.bytes = bytes[...]
  }

  /// Validates a text and wraps it.
  public init(checking bytes: [UInt8]) throws(JSONSyntaxError) {
    self.bytes = try JSONDocument(parsing: bytes).root.bytes
  }
}

extension EncodedJSON: Codable {
  /// Copies the bytes into the output of `JSONCoder`; other encoders receive the parsed value.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? JSONOutputEncoder {
      try encoder.spliceJSON { output, _ in
        output.append(contentsOf: bytes)
        return JSONOutput.depth(of: bytes)
      }
    } else {
      try JSONValue(JSONDocument(parsing: Array(bytes)).root).encode(to: encoder)
    }
  }

  /// Retains the text of the value, of any kind.
  public init(from decoder: any Decoder) throws {
    if let reader = decoder as? JSONReader {
      self.init(trusted: reader.element.bytes)
    } else {
      self.init(trusted: try JSONValue(from: decoder).bytes)
    }
  }
}

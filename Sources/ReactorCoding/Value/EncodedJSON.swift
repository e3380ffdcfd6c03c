/// JSON that is encoded already, to stand inside something that is yet to be encoded.
///
/// The log stores actions and mutations as bytes; an answer that shows them copies these bytes
/// instead of decoding and encoding them again. Decoding one keeps the text of any value.
public struct EncodedJSON: Hashable, Sendable {
  /// The text of exactly one JSON value.
  public let bytes: ArraySlice<UInt8>

  /// Wraps a text that this module has encoded or parsed; it is not checked again.
  public init(trusted bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  /// Wraps a text that this module has encoded or parsed; it is not checked again.
  public init(trusted bytes: [UInt8]) {
    self.bytes = bytes[...]
  }

  /// Checks that a text is JSON, and wraps it.
  public init(checking bytes: [UInt8]) throws(JSONSyntaxError) {
    self.bytes = try JSONDocument(parsing: bytes).root.bytes
  }
}

extension EncodedJSON: Codable {
  /// Copies the bytes into the output of `JSONCoder`; another encoder is given the parsed value.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? JSONOutputEncoder {
      try encoder.splice { $0.append(contentsOf: bytes) }
    } else {
      try JSONValue(JSONDocument(parsing: Array(bytes)).root).encode(to: encoder)
    }
  }

  /// Takes the text of the value, whatever it is.
  public init(from decoder: any Decoder) throws {
    if let reader = decoder as? JSONReader {
      self.init(trusted: reader.element.bytes)
    } else {
      self.init(trusted: try JSONValue(from: decoder).bytes)
    }
  }
}

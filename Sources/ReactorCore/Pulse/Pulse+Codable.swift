extension Pulse: Encodable where Value: Encodable {
  /// Writes the bare value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Pulse: Decodable where Value: Decodable {
  /// Reads a bare value; the pulse was not assigned yet.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

// What the compiler derives for a state calls these: an optional pulse that holds nothing is written and
// read as an optional property is that holds nothing.

extension KeyedEncodingContainer {
  /// Writes the value of a pulse, if there is one.
  public mutating func encode<Value: Encodable>(
    _ pulse: Pulse<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(pulse.wrappedValue, forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Reads the value of a pulse, if there is one.
  public func decode<Value: Decodable>(
    _ type: Pulse<Value?>.Type, forKey key: Key
  ) throws -> Pulse<Value?> {
    Pulse(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }
}

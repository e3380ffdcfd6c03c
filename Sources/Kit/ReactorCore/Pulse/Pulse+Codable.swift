extension Pulse: Encodable where Value: Encodable {
  /// Encodes only the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Pulse: Decodable where Value: Decodable {
  /// Decodes the value as the initial value of the pulse.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

// The synthesized conformances of a State call these functions, so that a pulse of `nil` is encoded
// and decoded like an optional property.

extension KeyedEncodingContainer {
  /// Encodes the value of a pulse unless it is `nil`.
  public mutating func encode<Value: Encodable>(
    _ pulse: Pulse<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(pulse.wrappedValue, forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes the value of a pulse if it is present.
  public func decode<Value: Decodable>(
    _ type: Pulse<Value?>.Type, forKey key: Key
  ) throws -> Pulse<Value?> {
    Pulse(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }
}

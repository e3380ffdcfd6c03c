/// The overloads per primitive type, whose default implementations would report the member as present.
extension SchemaKeyedContainer {
  private func absent<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
    try decodeIfPresent(type, forKey: key)
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try absent(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try absent(type, key)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try absent(type, key)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try absent(type, key)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try absent(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try absent(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try absent(type, key)
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try absent(type, key)
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try absent(type, key)
  }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    try absent(type, key)
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try absent(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try absent(type, key)
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try absent(type, key)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try absent(type, key)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try absent(type, key)
  }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try absent(type, key)
  }

  // The default implementations for 128 bits throw an error.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try wide(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try wide(type, key) }

  private func wide<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
    try decode(type, forKey: key)
  }
}

extension SchemaUnkeyedContainer {
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }

  private mutating func wide<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decode(type)
  }
}

extension SchemaDecoder {
  func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }

  private func wide<Value: Decodable>(_ type: Value.Type) throws -> Value { try decode(type) }
}

/// The overload per primitive type that `KeyedEncodingContainerProtocol` requires. Absent values
/// are written as `null`, so that a State always shows all its members.
extension JSONKeyedOutput {
  @inline(__always)
  private func integer(_ value: some FixedWidthInteger, _ key: Key) throws {
    try begin(key)
    output.bytes.appendJSON(value)
  }

  @inline(__always)
  private func integer(_ value: (some FixedWidthInteger)?, _ key: Key) throws {
    if let value { try integer(value, key) } else { try encodeNil(forKey: key) }
  }

  func encode(_ value: Bool, forKey key: Key) throws {
    try begin(key)
    output.bytes.appendJSON(value)
  }

  func encode(_ value: String, forKey key: Key) throws {
    try begin(key)
    output.bytes.appendJSON(value)
  }

  func encode(_ value: Double, forKey key: Key) throws {
    try begin(key)
    try output.write(value)
  }

  func encode(_ value: Float, forKey key: Key) throws {
    try begin(key)
    try output.write(value)
  }

  func encode(_ value: Int, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int8, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int16, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int32, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int64, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int128, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt8, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt16, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt32, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt64, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try integer(value, key) }

  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
  }

  func encodeIfPresent(_ value: String?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
  }

  func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
  }

  func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
  }

  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try integer(value, key) }
  func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try integer(value, key) }

  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
  }
}

extension JSONOutputEncoder: SingleValueEncodingContainer {
  func encodeNil() throws {
    try splice { $0.appendJSONNull() }
  }

  func encode(_ value: Bool) throws {
    try splice { $0.appendJSON(value) }
  }

  func encode(_ value: String) throws {
    try splice { $0.appendJSON(value) }
  }

  func encode(_ value: Double) throws {
    guard value.isFinite else { throw output.cannotExpress(value) }
    try splice { $0.appendJSON(value) }
  }

  func encode(_ value: Float) throws {
    guard value.isFinite else { throw output.cannotExpress(value) }
    try splice { $0.appendJSON(value) }
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    guard canWrite else { throw output.closed() }
    try output.write(value, inside: place)
  }

  func encode(_ value: Int) throws { try splice { $0.appendJSON(value) } }
  func encode(_ value: Int8) throws { try splice { $0.appendJSON(value) } }
  func encode(_ value: Int16) throws { try splice { $0.appendJSON(value) } }
  func encode(_ value: Int32) throws { try splice { $0.appendJSON(value) } }
  func encode(_ value: Int64) throws { try splice { $0.appendJSON(value) } }
  func encode(_ value: Int128) throws { try splice { $0.appendJSON(value) } }
  func encode(_ value: UInt) throws { try splice { $0.appendJSON(value) } }
  func encode(_ value: UInt8) throws { try splice { $0.appendJSON(value) } }
  func encode(_ value: UInt16) throws { try splice { $0.appendJSON(value) } }
  func encode(_ value: UInt32) throws { try splice { $0.appendJSON(value) } }
  func encode(_ value: UInt64) throws { try splice { $0.appendJSON(value) } }
  func encode(_ value: UInt128) throws { try splice { $0.appendJSON(value) } }
}

/// The overload per primitive type that `KeyedDecodingContainerProtocol` requires.
extension JSONKeyedReader {
  @inline(__always)
  private func optional<Integer: FixedWidthInteger>(_ key: Key) throws -> Integer? {
    try valueIfPresent(key)?.integer()
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).boolean() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).string() }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try value(key).floatingPoint()
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try value(key).floatingPoint()
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).integer() }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).integer() }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).integer() }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).integer() }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).integer() }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(key).integer() }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).integer() }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).integer() }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).integer() }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).integer() }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).integer() }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(key).integer() }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try valueIfPresent(key)?.boolean()
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try valueIfPresent(key)?.string()
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try valueIfPresent(key)?.floatingPoint()
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try valueIfPresent(key)?.floatingPoint()
  }

  func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? { try optional(key) }
  func decodeIfPresent(_: Int8.Type, forKey key: Key) throws -> Int8? { try optional(key) }
  func decodeIfPresent(_: Int16.Type, forKey key: Key) throws -> Int16? { try optional(key) }
  func decodeIfPresent(_: Int32.Type, forKey key: Key) throws -> Int32? { try optional(key) }
  func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? { try optional(key) }
  func decodeIfPresent(_: Int128.Type, forKey key: Key) throws -> Int128? { try optional(key) }
  func decodeIfPresent(_: UInt.Type, forKey key: Key) throws -> UInt? { try optional(key) }
  func decodeIfPresent(_: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(key) }
  func decodeIfPresent(_: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(key) }
  func decodeIfPresent(_: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(key) }
  func decodeIfPresent(_: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(key) }
  func decodeIfPresent(_: UInt128.Type, forKey key: Key) throws -> UInt128? { try optional(key) }
}

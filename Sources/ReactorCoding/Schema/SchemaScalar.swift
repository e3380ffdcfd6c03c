/// The schemas and placeholder values of scalar types.
enum SchemaScalar {
  /// Texts that common validating types accept.
  static let texts = [
    "a", "0", "https://example.org/", "00000000-0000-0000-0000-000000000000",
    "2000-01-01T00:00:00Z",
    "2000-01-01",
  ]

  /// Returns the schema and a value of a scalar type; `nil` for other types.
  static func of<Value>(_ type: Value.Type, text: String = "") -> (JSONValue, Value)? {
    let found: (schema: JSONValue, value: Any)?
    switch type {
    case is Bool.Type: found = (["type": "boolean"], false)
    case is String.Type: found = (["type": "string"], text)
    case is Double.Type: found = (["type": "number"], 0.0)
    case is Float.Type: found = (["type": "number"], Float(0))
    case let integer as any (FixedWidthInteger & Decodable).Type: found = describe(integer)
    default: return FoundationValue.schema(of: type)
    }
    guard let found, let value = found.value as? Value else { return nil }
    return (found.schema, value)
  }

  /// Returns the schema of an integer type, with its bounds unless it is `Int`.
  private static func describe<Integer: FixedWidthInteger & Decodable>(
    _ type: Integer.Type
  ) -> (schema: JSONValue, value: Any)? {
    // Integer types outside the standard library may have any coding.
    guard isStandard(type) else { return nil }
    var schema: JSONValue = ["type": "integer"]
    if Integer.bitWidth < 64 || !Integer.isSigned {
      schema["minimum"] = .number(JSONNumber(Integer.min))
    }
    if Integer.bitWidth < 64 { schema["maximum"] = .number(JSONNumber(Integer.max)) }
    return (schema, Integer.zero)
  }

  private static func isStandard(_ type: any Any.Type) -> Bool {
    let standard: [any Any.Type] = [
      Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self,
      UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self,
    ]
    return standard.contains { $0 == type }
  }
}

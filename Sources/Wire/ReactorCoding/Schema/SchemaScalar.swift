/// The schemas and placeholder values of scalar types.
enum SchemaScalar {
  /// Returns the form and a value of a scalar type, or `nil` for other types.
  static func of<Value>(
    _ type: Value.Type, _ sample: SchemaSample = .smallest
  ) -> (SchemaSketch.Form, Value)? {
    let found: (schema: JSONValue, value: Any)?
    switch type {
    case is Bool.Type: found = (["type": "boolean"], sample.number & 1 == 1)
    case is String.Type: found = (["type": "string"], sample.text)
    case is Double.Type: found = (["type": "number"], Double(sample.number))
    case is Float.Type: found = (["type": "number"], Float(sample.number))
    case let integer as any (FixedWidthInteger & Decodable).Type:
      found = describe(integer, sample.number)
    default:
      let bytes: [UInt8] = sample.isFilled ? [0] : []
      guard
        let (schema, value) = FoundationValue.schema(
          of: type, text: sample.text, number: sample.number, bytes: bytes)
      else { return nil }
      return (FoundationValue(type) == .decimal ? .decimal : .scalar(schema), value)
    }
    guard let found, let value = found.value as? Value else { return nil }
    return (.scalar(found.schema), value)
  }

  /// Returns the schema of an integer type, with its bounds unless it is `Int`.
  private static func describe<Integer: FixedWidthInteger & Decodable>(
    _ type: Integer.Type, _ number: Int
  ) -> (schema: JSONValue, value: Any)? {
    // Integer types outside the standard library may have any coding.
    guard isStandard(type) else { return nil }
    var schema: JSONValue = ["type": "integer"]
    if Integer.bitWidth < 64 || !Integer.isSigned {
      schema["minimum"] = .number(JSONNumber(Integer.min))
    }
    if Integer.bitWidth < 64 { schema["maximum"] = .number(JSONNumber(Integer.max)) }
    return (schema, Integer(clamping: number))
  }

  private static func isStandard(_ type: any Any.Type) -> Bool {
    let standard: [any Any.Type] = [
      Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self,
      UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self,
    ]
    return standard.contains { $0 == type }
  }
}

extension JSONValue: Encodable {
  /// Encodes the value; `JSONCoder` splices its text.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? JSONOutputEncoder {
      return try encoder.spliceJSON { write(to: &$0, depthLimit: $1) }
    }
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .boolean(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .number(let value):
      var container = encoder.singleValueContainer()
      if let integer = value.integer(as: Int64.self) {
        try container.encode(integer)
      } else {
        try container.encode(value.double)
      }
    case .string(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .array(let elements):
      try elements.encode(to: encoder)
    case .object(let members):
      var container = encoder.container(keyedBy: JSONPathKey.self)
      for member in members {
        try container.encode(member.value, forKey: JSONPathKey(member.name))
      }
    }
  }
}

extension JSONValue: Decodable {
  /// Decodes any JSON value; `JSONCoder` preserves the order of members and every digit.
  public init(from decoder: any Decoder) throws {
    if let reader = decoder as? JSONReader {
      if reader.isStrict { try reader.checkTexts() }
      self.init(reader.element)
      return
    }
    if let container = try? decoder.container(keyedBy: JSONPathKey.self) {
      self = .object(
        try container.allKeys.map {
          Member($0.stringValue, try container.decode(JSONValue.self, forKey: $0))
        })
      return
    }
    if var container = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
      self = .array(elements)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .number(JSONNumber(value))
    } else {
      self = JSONNumber(try container.decode(Double.self)).map(JSONValue.number) ?? .null
    }
  }
}

/// Encodes and decodes the claims as a JSON object.
extension Claims: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// Decodes an object.
  ///
  /// The decoder provides each member name once.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Name.self)
    self.init(
      distinct: try members.allKeys.map {
        ($0.stringValue, try members.decode(Value.self, forKey: $0))
      })
  }

  /// Encodes an object.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Name.self)
    for name in names { try members.encode(self[name], forKey: Name(name)) }
  }
}

extension Claims.Value: Codable {
  /// Decodes any JSON value.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let boolean = try? value.decode(Bool.self) {
      self = .boolean(boolean)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let values = try? value.decode([Claims.Value].self) {
      self = .array(values)
    } else {
      self = .object(try value.decode(Claims.self))
    }
  }

  /// Encodes the JSON value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let boolean): try container.encode(boolean)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let values): try container.encode(values)
    case .object(let claims): try container.encode(claims)
    }
  }
}

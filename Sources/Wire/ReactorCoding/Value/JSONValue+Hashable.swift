extension JSONValue {
  /// Whether both values have the same kind and content, members in the same order.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes the kind and content.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(JSONKind.null)
    case .boolean(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(UTF8Text(value))
    case .array(let elements): hasher.combine(elements)
    case .object(let members): hasher.combine(members)
    }
  }
}

extension JSONValue.Member {
  /// Whether both members have the same name and value.
  public static func == (left: JSONValue.Member, right: JSONValue.Member) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.value == right.value
  }

  /// Hashes the name and value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(name))
    hasher.combine(value)
  }
}

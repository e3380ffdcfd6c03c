/// A value of the configuration file whose meaning is not yet known.
enum ConfigurationValue: Sendable, Equatable {
  /// An object.
  case object([String: ConfigurationValue])

  /// An array.
  case array([ConfigurationValue])

  /// A string.
  case string(String)

  /// A number without a fraction that an `Int` can hold.
  case integer(Int)

  /// Any other number; JSON5 has infinities and NaN too.
  case number(Double)

  /// `true` or `false`.
  case boolean(Bool)

  /// `null`.
  case null
}

extension ConfigurationValue: Decodable {
  /// Takes whatever the decoder has, which bounds the depth.
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([ConfigurationValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: ConfigurationValue].self))
    }
  }
}

extension ConfigurationValue: CustomStringConvertible {
  /// The value as a message shows it: scalars whole, containers by their kind.
  var description: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string(let value): "\"\(value)\""
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .boolean(let value): "\(value)"
    case .null: "null"
    }
  }
}

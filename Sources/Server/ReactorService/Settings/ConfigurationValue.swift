/// A parsed value of the configuration file, before it is matched with a setting.
enum ConfigurationValue: Sendable, Equatable {
  /// An object, with its members in the order of the file.
  case object([Member])

  case array([ConfigurationValue])

  case string(String)

  /// A number without a fraction that an `Int` can hold.
  case integer(Int)

  /// Any other number; JSON5 has infinities and NaN too.
  case number(Double)

  /// `true` or `false`.
  case boolean(Bool)

  case null

  /// A member of an object.
  struct Member: Sendable, Equatable {
    let name: String
    let position: FilePosition
    let value: ConfigurationValue
  }
}

/// A position in a file, counted from 1; columns count Unicode scalars.
struct FilePosition: Sendable, Equatable, CustomStringConvertible {
  var line = 1
  var column = 1

  var description: String { "\(line):\(column)" }

  /// Moves past a scalar.
  mutating func advance(over scalar: Unicode.Scalar) {
    if scalar == "\n" {
      line += 1
      column = 1
    } else {
      column += 1
    }
  }
}

extension ConfigurationValue: CustomStringConvertible {
  /// The value in an error message: scalars in full, containers by their kind.
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

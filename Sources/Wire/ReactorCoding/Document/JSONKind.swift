/// The six kinds of JSON value.
public enum JSONKind: UInt8, Sendable {
  case null, boolean, number, string, array, object

  /// The name of the kind in JSON Schema (`boolean`).
  public var name: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  /// The name with its article, for error messages (`an object`).
  var nameWithArticle: String {
    switch self {
    case .null: "null"
    case .array, .object: "an \(name)"
    case .boolean, .number, .string: "a \(name)"
    }
  }
}

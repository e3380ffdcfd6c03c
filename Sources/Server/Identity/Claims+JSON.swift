internal import ReactorCoding
internal import ReactorCore

extension Claims {
  /// The claims as a JSON object.
  var json: JSONValue {
    .object(names.map { JSONValue.Member($0, self[$0].map(Self.json) ?? .null) })
  }

  private static func json(of value: Value) -> JSONValue {
    switch value {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .number(let value): JSONNumber(value).map(JSONValue.number) ?? .null
    case .string(let text): .string(text)
    case .array(let values): .array(values.map(json))
    case .object(let claims): claims.json
    }
  }
}

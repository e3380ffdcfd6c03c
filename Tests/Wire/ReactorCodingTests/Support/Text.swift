import ReactorCoding

/// Returns the JSON of a value as text.
func encoded<Value: Encodable>(_ value: Value) throws -> String {
  String(decoding: try JSONCoder.encode(value), as: UTF8.self)
}

/// Decodes a value from JSON text.
func decoded<Value: Decodable>(
  _ type: Value.Type, _ text: String, _ strictness: JSONCoder.Strictness = .strict
) throws -> Value {
  try JSONCoder.decode(type, from: Array(text.utf8), strictness: strictness)
}

/// Returns the failure of decoding a text, or `nil` if it succeeds.
func failure<Value: Decodable>(
  _ type: Value.Type, _ text: String, _ strictness: JSONCoder.Strictness = .strict
) throws -> JSONDecodingFailure? {
  do {
    _ = try decoded(type, text, strictness)
    return nil
  } catch let failure as JSONDecodingFailure {
    return failure
  }
}

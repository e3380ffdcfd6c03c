import ReactorCoding

/// Decodes the JSON of a client.
func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
  try JSONCoder.decode(type, from: Array(json.utf8), strictness: .strict)
}

internal import ClientCore
public import ReactorCoding

/// An event of a session's stream that is neither a State nor an activity.
public struct SessionNotice: Sendable {
  /// The name of the event.
  public let name: String

  /// Its data.
  public let data: JSONElement

  init(_ name: String, _ data: JSONElement) {
    self.name = name
    self.data = data
  }

  /// Decodes the data.
  public func decode<Value: Decodable>(_ type: Value.Type) throws(JSONDecodingFailure) -> Value {
    try JSONCoder.decode(type, from: data)
  }
}

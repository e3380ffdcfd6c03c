/// Why a JSON value cannot be decoded, worded for the client that sent it.
public struct JSONDecodingFailure: Error, Hashable, Sendable {
  /// The JSON Pointer (RFC 6901) of the invalid value; empty for the whole text.
  public var pointer: String

  /// The accepted values: case names of an enum, or kinds of JSON (`integer`, `object`).
  public var expected: [String]

  /// One or two sentences that state the problem and the correction, without names of Swift types.
  public var detail: String

  /// Creates a failure; called by the decoder.
  public init(pointer: String, expected: [String], detail: String) {
    self.pointer = pointer
    self.expected = expected
    self.detail = detail
  }

  /// The position of the invalid element, if an array was decoded.
  public var index: Int? {
    guard let first = try? JSONPointer(pointer).tokens.first else { return nil }
    return JSONPointer.position(first)
  }
}

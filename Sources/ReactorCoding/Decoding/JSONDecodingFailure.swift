/// Why a JSON value is not what was asked for, in words for whoever sent it.
public struct JSONDecodingFailure: Error, Hashable, Sendable {
  /// The value that is wrong, as a JSON Pointer (RFC 6901); empty for the whole text.
  public var pointer: String

  /// What may stand there: names of an enum's cases, or of kinds of JSON (`integer`, `object`).
  public var expected: [String]

  /// What is wrong and what to do about it: a sentence for people, without names of Swift types.
  public var detail: String

  /// Makes a failure; the decoder calls this.
  public init(pointer: String, expected: [String], detail: String) {
    self.pointer = pointer
    self.expected = expected
    self.detail = detail
  }

  /// The position of the element that is wrong, when an array was decoded.
  public var index: Int? {
    guard let first = try? JSONPointer(pointer).tokens.first else { return nil }
    return JSONPointer.position(first)
  }
}

/// Why a text is no JSON Pointer.
public struct JSONPointerSyntaxError: Error, Hashable, Sendable {
  /// The byte of the pointer where it broke, counted from 0.
  public var offset: Int

  /// What is wrong there: one sentence for people.
  public var reason: String

  /// Makes an error; the pointer's parser calls this.
  public init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}

/// Why a text is not JSON, and where it stops being JSON.
public struct JSONSyntaxError: Error, Hashable, Sendable {
  /// The byte where it broke, counted from 0; the length of the text when it ends too soon.
  public var offset: Int

  /// What is wrong there: one sentence for people.
  public var reason: String

  /// Makes an error; the parser calls this.
  public init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}

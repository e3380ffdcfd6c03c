/// The position and reason of a JSON syntax error.
public struct JSONSyntaxError: Error, Hashable, Sendable {
  /// The byte offset of the error; the length of the text if it ends too soon.
  public var offset: Int

  /// One sentence that states the problem.
  public var reason: String

  /// Creates an error; called by the parser.
  public init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}

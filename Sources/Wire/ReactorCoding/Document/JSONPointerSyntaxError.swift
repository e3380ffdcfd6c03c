/// The position and reason of a syntax error in a JSON Pointer.
public struct JSONPointerSyntaxError: Error, Hashable, Sendable {
  /// The byte offset of the error.
  public var offset: Int

  /// One sentence that states the problem.
  public var reason: String

  /// Creates an error; called by the parser of pointers.
  public init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}

internal import ReactorCoding

/// An error of decoding an action, or the value of a global, from a client's JSON.
public enum ActionDecodingError: Error, Sendable {
  /// The body is not JSON.
  case malformed(offset: Int, reason: String)

  /// The body is JSON of another shape.
  case invalid(pointer: String, expected: [String], detail: String)

  /// The action is an `InternalAction`, which clients cannot send; the name of its case.
  case internalAction(String)

  /// Creates an error from one of the coder.
  ///
  /// - Parameters:
  ///   - error: The coder's error.
  ///   - detail: The explanation of an error that is not the coder's own.
  @usableFromInline
  init(_ error: any Error, orElse detail: String = "The body is not an action.") {
    switch error {
    case let error as JSONSyntaxError:
      self = .malformed(offset: error.offset, reason: error.reason)
    case let error as JSONDecodingFailure:
      self = .invalid(
        pointer: error.pointer, expected: error.expected, detail: error.detail)
    default:
      self = .invalid(pointer: "", expected: [], detail: detail)
    }
  }
}

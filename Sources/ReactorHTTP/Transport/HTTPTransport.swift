/// Takes the response to one request, which is given away with it: nobody copies its fields to add to
/// them.
public typealias HTTPAnswer = @Sendable (consuming HTTPResponse) -> Void

/// What stands behind a transport: the service's side of the border.
public protocol HTTPResponder: Sendable {
  /// Answers one request, at once or later, exactly once.
  ///
  /// A transport calls this on one of its worker threads, concurrently for different connections.
  /// The call must not block: whatever waits keeps `answer` and calls it when it is done, on any
  /// thread.
  func respond(to request: HTTPRequest, answer: @escaping HTTPAnswer)

  /// The answer to a request that the transport refuses before its body was read to the end.
  ///
  /// - Parameters:
  ///   - reason: Why it is refused.
  ///   - request: What was read of it, its body aside; `nil` where nothing was.
  /// - Returns: What is sent before the connection is closed.
  func refusal(of reason: HTTPRefusal, to request: HTTPRequest?) -> HTTPResponse
}

/// Why a transport refuses a request that it could parse, or a connection.
public enum HTTPRefusal: Sendable, Equatable {
  /// The body is larger than `limit` bytes.
  case bodyTooLarge(limit: Int)

  /// The request line and header fields together are larger than `limit` bytes.
  case headersTooLarge(limit: Int)

  /// The client has `limit` connections already; its request was not read.
  case tooManyConnections(limit: Int)
}

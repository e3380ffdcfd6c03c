package import Shares

/// Sends the response to one request.
///
/// Consumes the response, so that its fields are appended without a copy.
package typealias HTTPReply = @Sendable (consuming HTTPResponse) -> Void

/// The service's side of the interface between transport and service.
package protocol HTTPResponder: Sendable {
  /// Decides at the end of a request's head whether its body is read.
  ///
  /// A transport calls this on a worker thread, at most once per request and only if a body follows.
  /// The call must not block.
  ///
  /// - Parameter head: The request without its body.
  /// - Returns: The admission, which the transport attaches to the complete request; or the response
  ///   that is sent in place of reading the body, before the connection is closed.
  func admit(_ head: HTTPRequest) -> HTTPAdmission

  /// Responds to one request, immediately or later, by calling `reply` exactly once.
  ///
  /// A transport calls this on one of its worker threads, concurrently for different connections.
  /// The call must not block: an operation that waits retains `reply` and calls it when it is done,
  /// on any thread.
  func respond(to request: HTTPRequest, reply: @escaping HTTPReply)

  /// Returns the account of the client that a proxy has sent a request for, or `nil` if there is none.
  ///
  /// Called for the requests of connections without an account, on the worker thread; must not block.
  func account(for request: HTTPRequest) -> Account?

  /// Selects where a complete request is processed.
  ///
  /// Called for each request on a reserved connection, on the worker thread; must not block.
  func lane(for request: HTTPRequest) -> HTTPLane

  /// Creates the response to a request that the transport rejects before its body is complete.
  ///
  /// - Parameters:
  ///   - reason: Why the transport rejects it.
  ///   - request: The head of the request, or `nil` if it was not read.
  /// - Returns: The response that is sent before the connection is closed.
  func rejection(for reason: HTTPRejection, of request: HTTPRequest?) -> HTTPResponse
}

extension HTTPResponder {
  /// Admits every request.
  package func admit(_ head: HTTPRequest) -> HTTPAdmission { .accept(nil) }

  /// Knows no clients.
  package func account(for request: HTTPRequest) -> Account? { nil }

  /// Processes every request on the worker thread.
  package func lane(for request: HTTPRequest) -> HTTPLane { .immediate }
}

/// Where a request is processed.
package enum HTTPLane: Sendable {
  /// On the worker thread that parsed it, which serves no other connection in the meantime. The
  /// responder moves work that takes longer than microseconds to threads of its own.
  case immediate

  /// On the worker thread, also if the connection is a reserved one: for health checks and
  /// administration.
  case priority
}

/// The responder's decision on a request whose body has not been read.
package enum HTTPAdmission: Sendable {
  /// Read the body. The token carries the responder's work on the head over to the request.
  case accept((any HTTPAdmissionToken)?)

  /// Send this response and close the connection.
  case reject(HTTPResponse)
}

/// The responder's own data on a request whose head it has admitted.
package protocol HTTPAdmissionToken: AnyObject, Sendable {
  /// The account that the body is counted for, or `nil` for that of the connection.
  var account: Account? { get }
}

/// Why a transport rejects a well-formed request, or a connection.
package enum HTTPRejection: Error, Equatable {
  /// The body is larger than `limit` bytes.
  case bodyTooLarge(limit: Int)

  /// The request line and header fields together are larger than `limit` bytes.
  case headersTooLarge(limit: Int)

  /// The client has its share of the `limit` bytes that the bodies of all requests may take.
  case tooManyBodies(limit: Int)

  /// The client already has `limit` connections, `limits.address`; its request was not read.
  case tooManyConnectionsOfAddress(limit: Int)

  /// The client has its share of the `limit` connections; its request was not read, or not its body.
  case tooManyConnections(limit: Int)

  /// The client has its share of the `limit` streams.
  case tooManyStreams(limit: Int)

  /// All connections are in use; the remaining ones are reserved for `HTTPLane.priority`.
  case noConnectionLeft
}

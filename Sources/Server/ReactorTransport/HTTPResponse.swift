package import Shares

/// The response to one request.
package struct HTTPResponse: Sendable {
  /// The part of a response after its head.
  package enum Body: Sendable {
    /// No body. `Content-Length: 0` is written where the status allows a body.
    case empty

    /// A complete body, sent with its `Content-Length`.
    case bytes([UInt8])

    /// A stream that continues until it finishes or the client disconnects.
    case stream(any ByteStream)
  }

  /// The status code.
  package var status: Int

  /// The header fields, except those that the transport writes: `Date`, `Content-Length`,
  /// `Transfer-Encoding` and `Connection`.
  package var headers: HTTPFields

  /// The body.
  ///
  /// In response to `HEAD` the transport sends only the head and never opens a stream.
  package var body: Body

  /// The name of the problem type that the body describes (RFC 9457), or `nil` for any other body.
  ///
  /// For metrics and logs; not sent.
  package var problem: String?

  /// The account of the client that a stream is counted for, or `nil` for that of its connection.
  package var account: Account?

  /// Creates a response.
  package init(
    status: Int, headers: HTTPFields = [:], body: Body = .empty, problem: String? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.problem = problem
  }
}

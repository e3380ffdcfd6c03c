package import ClientCore

/// The failure of a connection or of a request on it.
package struct ConnectionFailure: Error, Equatable {
  /// The kind of a failure.
  package enum Reason: Sendable {
    /// No connection can be opened.
    case unavailable

    /// The server, or a proxy before it, closed the connection before the end of the response.
    case closed

    /// No byte was sent or received within the timeout of the request.
    case silent

    /// The bytes are not HTTP.
    case malformed

    /// The request cannot be written as HTTP.
    case invalidRequest
  }

  /// The kind.
  package let reason: Reason

  /// The address and the reason, without a full stop.
  package let detail: String

  init(_ reason: Reason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }

  /// The failure as a problem of the client.
  package var problem: Problem {
    switch reason {
    case .unavailable, .closed, .silent:
      Problem(
        .unreachable, "The server cannot be reached",
        "\(detail). Check the URL and the network.")
    case .malformed:
      Problem(
        .notAServer, "The address does not respond with HTTP",
        "\(detail). Check that the URL is that of a reactord.")
    case .invalidRequest:
      Problem(.invalidParameter, "The request cannot be sent", "\(detail).")
    }
  }
}

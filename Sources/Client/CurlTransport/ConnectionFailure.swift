internal import CCurl
package import ClientCore

/// The failure of a connection or of a request on it.
package struct ConnectionFailure: Error, Equatable {
  /// The kind of a failure.
  package enum Reason: Sendable {
    /// No connection can be opened.
    case unavailable

    /// The server, or a proxy before it, closed the connection before the end of the response.
    case closed

    /// No byte was sent or received within the timeout of the request, or the response took too long.
    case silent

    /// The bytes are not HTTP.
    case malformed

    /// The request cannot be written as HTTP.
    case invalidRequest

    /// The server's certificate is not trusted.
    case untrusted
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
    case .untrusted:
      Problem(
        .untrustedCertificate, "The server's certificate is not trusted",
        "\(detail). Install the certificate of its authority, or correct the host name or the clock. "
          + "No request was sent.")
    }
  }
}

extension ConnectionFailure {
  /// Creates the failure that a result of libcurl stands for.
  ///
  /// - Parameters:
  ///   - code: The result, other than `CURLE_OK`.
  ///   - origin: The server.
  ///   - message: The message of libcurl, which can be empty.
  ///   - hasHead: Whether the head of the response has arrived.
  init(_ code: CURLcode, _ origin: HTTPOrigin, _ message: String, hasHead: Bool) {
    let address = origin.address
    let text = unsafe message.isEmpty ? String(cString: curl_easy_strerror(code)) : message
    switch code {
    case CURLE_COULDNT_CONNECT where !origin.usesProxies:
      self.init(.unavailable, "\(address) does not accept connections")
    case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY,
      CURLE_SSL_CONNECT_ERROR, CURLE_PROXY:
      self.init(.unavailable, text)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
      self.init(.untrusted, text)
    case CURLE_OPERATION_TIMEDOUT: self.init(.silent, text)
    // An HTTP/0.9 response, a malformed status line or field, or a line above libcurl's limit.
    // 100 is `CURLE_TOO_LARGE` of libcurl 8.6 and later: a line above the limit.
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_OUT_OF_MEMORY,
      CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR, CURLcode(100):
      self = .noHTTP(origin)
    case CURLE_URL_MALFORMAT: self.init(.invalidRequest, "\(address): \(text)")
    // libcurl names the response of a proxy to CONNECT.
    case CURLE_RECV_ERROR where origin.usesProxies && !hasHead:
      self.init(.closed, "\(address): \(text)")
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_ABORTED_BY_CALLBACK, CURLE_SEND_ERROR,
      CURLE_RECV_ERROR:
      self.init(
        .closed,
        hasHead
          ? "\(address) closed the connection within a response"
          : "\(address) does not respond with HTTP")
    default: self.init(.closed, "\(address): \(text)")
    }
  }

  /// The bytes of a server are not HTTP.
  static func noHTTP(_ origin: HTTPOrigin) -> ConnectionFailure {
    ConnectionFailure(.malformed, "\(origin.address) does not respond with HTTP")
  }

  /// The timeout of a request has passed.
  static func silent(_ origin: HTTPOrigin) -> ConnectionFailure {
    ConnectionFailure(.silent, "\(origin.address) does not respond")
  }

  /// The client has ended the request.
  static let cancelled = ConnectionFailure(.closed, "the client was closed")

  /// The process has reached a limit of the system.
  static let noResources = ConnectionFailure(
    .unavailable, "the process is at its limit of threads or of open files")
}

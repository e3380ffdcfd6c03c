internal import ClientCore

/// A server behind an address.
package struct HTTPOrigin: Equatable, Sendable {
  /// The address to connect to.
  package let address: ServerAddress

  /// The path prefix of a proxy, without a slash at its end; empty for none.
  package let prefix: String

  /// The value of `Host`.
  let host: String

  /// Creates an origin.
  package init(_ address: ServerAddress, prefix: String = "") {
    self.address = address
    self.prefix = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
    host = if case .network = address { "\(address)" } else { "localhost" }
  }
}

/// A request as the bytes that a connection sends.
struct OutboundRequest: Sendable {
  let bytes: [UInt8]
  let timeout: Duration
  /// Whether it can be repeated if the connection was closed before the response.
  let isRepeatable: Bool

  /// - Throws: A failure if the request cannot be written as HTTP.
  init(
    _ request: TransportRequest, to origin: HTTPOrigin, keepsConnection: Bool
  ) throws(ConnectionFailure) {
    do throws(TransportRequest.Unsendable) {
      bytes = try request.bytes(
        host: origin.host, prefix: origin.prefix, keepsConnection: keepsConnection)
    } catch {
      throw ConnectionFailure(
        .invalidRequest, "its path, a header field or the access token contains a control character"
      )
    }
    timeout = request.timeout
    isRepeatable = request.isRepeatable
  }
}

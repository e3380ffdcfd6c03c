/// The header fields that the service reads.
///
/// A transport hands over these and drops the rest, so that a request costs nothing for headers that
/// nobody asks for.
public enum HTTPHeader: String, CaseIterable, Sendable {
  case accept = "accept"
  case acceptEncoding = "accept-encoding"
  case accessControlRequestHeaders = "access-control-request-headers"
  case accessControlRequestMethod = "access-control-request-method"
  case authorization = "authorization"
  case contentEncoding = "content-encoding"
  case contentType = "content-type"
  case forwarded = "forwarded"
  case forwardedFor = "x-forwarded-for"
  case host = "host"
  case idempotencyKey = "idempotency-key"
  case ifMatch = "if-match"
  case ifNoneMatch = "if-none-match"
  case lastEventID = "last-event-id"
  case origin = "origin"
  case prefer = "prefer"
  case traceparent = "traceparent"
  case userAgent = "user-agent"
  case requestID = "x-request-id"
}

/// One parsed request, whole: its body was read to the end before it reached the service.
public struct HTTPRequest: Sendable {
  /// The method as sent, case-sensitive (`GET`).
  public var method: String

  /// The path as sent: percent-encoding untouched, no query.
  public var path: String

  /// What stood after the first `?`, percent-encoding untouched; `nil` without one.
  public var query: String?

  /// The bytes of the body; empty when there was none.
  public var body: [UInt8]

  /// Whether the request announced a body, an empty one included (`Content-Length` or chunked).
  public var hasBody: Bool

  /// The fields, in the order they came; a name may occur more than once.
  public var headers: [(name: HTTPHeader, value: String)]

  /// The address at the other end of the connection; `nil` where it has none, as on a Unix-domain
  /// socket.
  public var peer: ClientAddress?

  /// Makes a request; the transport, a test or an in-process client calls this.
  public init(
    method: String, path: String, query: String? = nil,
    headers: [(name: HTTPHeader, value: String)] = [], body: [UInt8] = [], hasBody: Bool? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.hasBody = hasBody ?? !body.isEmpty
  }

  /// The values of a field, combined with `, ` when it occurs more than once (RFC 9110, 5.3).
  public subscript(header header: HTTPHeader) -> String? {
    // Most fields are absent from most requests, and are looked for in each.
    guard let first = headers.firstIndex(where: { $0.name == header }) else { return nil }
    var combined = headers[first].value
    for index in headers.indices[(first + 1)...] where headers[index].name == header {
      combined += ", " + headers[index].value
    }
    return combined
  }
}

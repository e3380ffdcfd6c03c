/// One parsed request with its complete body.
///
/// An immutable class: a request passes through many functions, and copying its parts at each call
/// would cost more than one reference.
public final class HTTPRequest: Sendable {
  /// The method as sent, case-sensitive (`GET`).
  public let method: WireText

  /// The path as sent: percent-encoded, without the query.
  public let path: WireText

  /// The part after the first `?`, percent-encoded; `nil` without one.
  public let query: WireText?

  /// The bytes of the body; empty without one.
  public let body: [UInt8]

  /// Whether the request announced a body, possibly an empty one (`Content-Length` or chunked).
  public let hasBody: Bool

  /// The header fields that the service reads.
  public let headers: HTTPRequestHeaders

  /// The remote address of the connection; `nil` on a Unix-domain socket.
  public let peer: ClientAddress?

  /// The responder's decision on the head; `nil` if it was not consulted.
  public let admission: (any HTTPAdmissionToken)?

  /// Creates a request from a head that was admitted, and its body.
  public convenience init(
    _ head: HTTPRequest, body: [UInt8], admission: (any HTTPAdmissionToken)?
  ) {
    self.init(
      head.method, head.path, head.query, head.headers, body, hasBody: head.hasBody, head.peer,
      admission)
  }

  /// Creates a request.
  public convenience init(
    method: String, path: String, query: String? = nil,
    headers: HTTPRequestHeaders = HTTPRequestHeaders(), body: [UInt8] = [], hasBody: Bool? = nil,
    peer: ClientAddress? = nil
  ) {
    self.init(
      WireText(method), WireText(path), query.map { WireText($0) }, headers, body,
      hasBody: hasBody ?? !body.isEmpty, peer, nil)
  }

  private init(
    _ method: WireText, _ path: WireText, _ query: WireText?, _ headers: HTTPRequestHeaders,
    _ body: [UInt8], hasBody: Bool, _ peer: ClientAddress?, _ admission: (any HTTPAdmissionToken)?
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.hasBody = hasBody
    self.peer = peer
    self.admission = admission
  }

  /// The value of a field; the values of a repeated field are joined with `, ` (RFC 9110, 5.3).
  public subscript(header header: HTTPHeader) -> String? { headers[header] }
}

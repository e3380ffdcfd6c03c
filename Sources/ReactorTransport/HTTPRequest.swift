/// One parsed request with its complete body.
///
/// A class: a request passes through many functions, and copying its parts at each call would cost
/// more than one reference. Immutable once its body is complete.
public final class HTTPRequest: Sendable {
  /// The method as sent, case-sensitive (`GET`).
  public let method: WireText

  /// The path as sent: percent-encoded, without the query.
  public let path: WireText

  /// The part after the first `?`, percent-encoded; `nil` without one.
  public let query: WireText?

  // Proof: changed only by `completing(_:body:admission:)`, while there is no other reference.
  @safe @exclusivity(unchecked) private nonisolated(unsafe) var storedBody: [UInt8]

  // Not inlined: in another module the attribute above is lost, and accesses are checked at run time.
  /// The bytes of the body; empty without one.
  @inline(never) public var body: [UInt8] { storedBody }

  /// The number of bytes of the body.
  @inline(never) public var bodySize: Int { storedBody.count }

  /// Whether the request announced a body, possibly an empty one (`Content-Length` or chunked).
  public let hasBody: Bool

  /// The header fields that the service reads.
  public let headers: HTTPRequestHeaders

  /// The remote address of the connection; `nil` on a Unix-domain socket.
  public let peer: ClientAddress?

  // Proof: like that of `storedBody`.
  @safe @exclusivity(unchecked) private nonisolated(unsafe) var storedAdmission:
    (any HTTPAdmissionToken)?

  /// The responder's decision on the head; `nil` if it was not consulted.
  @inline(never) public var admission: (any HTTPAdmissionToken)? { storedAdmission }

  /// Adds the body to a head that was admitted: in place, unless something else references the head.
  public static func completing(
    _ head: consuming HTTPRequest, body: [UInt8], admission: (any HTTPAdmissionToken)?
  ) -> HTTPRequest {
    if !isKnownUniquelyReferenced(&head) {
      head = HTTPRequest(
        head.method, head.path, head.query, head.headers, [], hasBody: head.hasBody, head.peer)
    }
    head.storedBody = body
    head.storedAdmission = admission
    return head
  }

  /// Creates a request.
  public convenience init(
    method: String, path: String, query: String? = nil,
    headers: HTTPRequestHeaders = HTTPRequestHeaders(), body: [UInt8] = [], hasBody: Bool? = nil,
    peer: ClientAddress? = nil
  ) {
    self.init(
      WireText(method), WireText(path), query.map { WireText($0) }, headers, body,
      hasBody: hasBody ?? !body.isEmpty, peer)
  }

  private init(
    _ method: WireText, _ path: WireText, _ query: WireText?, _ headers: HTTPRequestHeaders,
    _ body: [UInt8], hasBody: Bool, _ peer: ClientAddress?
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    storedBody = body
    self.hasBody = hasBody
    self.peer = peer
  }

  /// The field `Authorization`; `nil` without one.
  public var authorization: AuthorizationField? { headers.authorization }

  /// The value of a field; the values of a repeated field are joined with `, ` (RFC 9110, 5.3).
  public subscript(header header: HTTPHeader) -> String? { headers[header] }
}

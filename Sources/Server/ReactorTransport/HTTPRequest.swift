/// One parsed request with its complete body.
///
/// A class: a request passes through many functions, and copying its parts at each call would cost
/// more than one reference. Immutable once its body is complete.
package final class HTTPRequest: Sendable {
  /// The request without its body.
  package let head: HTTPRequestHead

  // Proof: changed only by `completing(_:body:admission:)`, while there is no other reference.
  @safe @exclusivity(unchecked) private nonisolated(unsafe) var storedBody: [UInt8]

  // Not inlined: inlined code in another module would lose the attribute above, and check accesses
  // at run time.
  /// The bytes of the body; empty without one.
  @inline(never) package var body: [UInt8] { storedBody }

  /// The number of bytes of the body.
  @inline(never) package var bodySize: Int { storedBody.count }

  // Proof: like that of `storedBody`.
  @safe @exclusivity(unchecked) private nonisolated(unsafe) var storedAdmission:
    (any HTTPAdmissionToken)?

  /// The responder's decision on the head, or `nil` if it was not consulted.
  @inline(never) package var admission: (any HTTPAdmissionToken)? { storedAdmission }

  /// Adds the body to a request whose head was admitted: in place if nothing else references the
  /// request.
  package static func completing(
    _ head: consuming HTTPRequest, body: consuming [UInt8],
    admission: consuming (any HTTPAdmissionToken)?
  ) -> HTTPRequest {
    if !isKnownUniquelyReferenced(&head) {
      head = HTTPRequest(head.head)
    }
    head.storedBody = body
    head.storedAdmission = admission
    return head
  }

  /// Creates a request.
  package convenience init(
    method: String, path: String, query: String? = nil,
    headers: HTTPRequestHeaders = HTTPRequestHeaders(), body: [UInt8] = [], hasBody: Bool? = nil,
    peer: ClientAddress? = nil
  ) {
    self.init(
      HTTPRequestHead(
        method: WireText(method), path: WireText(path), query: query.map { WireText($0) },
        headers: headers, hasBody: hasBody ?? !body.isEmpty, peer: peer),
      body: body)
  }

  /// Creates a request from its head.
  package init(_ head: HTTPRequestHead, body: [UInt8] = []) {
    self.head = head
    storedBody = body
  }

  /// The method as sent, case-sensitive (`GET`).
  package var method: WireText { head.method }

  /// The path as sent: percent-encoded, without the query.
  package var path: WireText { head.path }

  /// The part after the first `?`, percent-encoded, or `nil` without one.
  package var query: WireText? { head.query }

  /// The header fields that the service reads.
  package var headers: HTTPRequestHeaders { head.headers }

  /// Whether the request announced a body, possibly an empty one (`Content-Length` or chunked).
  package var hasBody: Bool { head.hasBody }

  /// The remote address of the connection, or `nil` on a Unix-domain socket.
  package var peer: ClientAddress? { head.peer }

  /// The field `Authorization`, or `nil` without one.
  package var authorization: AuthorizationField? { head.headers.authorization }

  /// The value of a field; the values of a repeated field are joined with `, ` (RFC 9110, 5.3).
  package subscript(header header: HTTPHeader) -> String? { head.headers[header] }
}

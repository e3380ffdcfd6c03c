/// The header fields that the service reads.
///
/// A transport hands over these and drops the rest, so that a request costs nothing for headers that
/// nobody asks for.
public enum HTTPHeader: UInt8, CaseIterable, Sendable {
  case accept
  case acceptEncoding
  case accessControlRequestMethod
  case authorization
  case contentEncoding
  case contentType
  case forwarded
  case forwardedFor
  case idempotencyKey
  case ifMatch
  case ifNoneMatch
  case lastEventID
  case origin
  case prefer
  case traceparent
  case requestID

  /// The field's name in small letters; it may be sent in any.
  public var name: StaticString {
    switch self {
    case .accept: "accept"
    case .acceptEncoding: "accept-encoding"
    case .accessControlRequestMethod: "access-control-request-method"
    case .authorization: "authorization"
    case .contentEncoding: "content-encoding"
    case .contentType: "content-type"
    case .forwarded: "forwarded"
    case .forwardedFor: "x-forwarded-for"
    case .idempotencyKey: "idempotency-key"
    case .ifMatch: "if-match"
    case .ifNoneMatch: "if-none-match"
    case .lastEventID: "last-event-id"
    case .origin: "origin"
    case .prefer: "prefer"
    case .traceparent: "traceparent"
    case .requestID: "x-request-id"
    }
  }
}

/// One parsed request, whole: its body was read to the end before it reached the service.
///
/// A class, although it never changes: it goes through many hands, and to copy its parts at each would
/// cost more than they do.
public final class HTTPRequest: Sendable {
  /// The method as sent, case-sensitive (`GET`).
  public let method: String

  /// The path as sent: percent-encoding untouched, no query.
  public let path: String

  /// What stood after the first `?`, percent-encoding untouched; `nil` without one.
  public let query: String?

  /// The bytes of the body; empty when there was none.
  public let body: [UInt8]

  /// Whether the request announced a body, an empty one included (`Content-Length` or chunked).
  public let hasBody: Bool

  /// The fields that the service reads.
  public let headers: HTTPRequestHeaders

  /// The address at the other end of the connection; `nil` where it has none, as on a Unix-domain
  /// socket.
  public let peer: ClientAddress?

  /// Makes a request; the transport, a test or an in-process client calls this.
  public init(
    method: String, path: String, query: String? = nil,
    headers: HTTPRequestHeaders = HTTPRequestHeaders(), body: [UInt8] = [], hasBody: Bool? = nil,
    peer: ClientAddress? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.hasBody = hasBody ?? !body.isEmpty
    self.peer = peer
  }

  /// The values of a field, combined with `, ` when it occurs more than once (RFC 9110, 5.3).
  public subscript(header header: HTTPHeader) -> String? { headers[header] }
}

/// The fields of a request, in the order they came; a name may occur more than once.
public struct HTTPRequestHeaders: Sendable, ExpressibleByArrayLiteral {
  private struct Field {
    let header: HTTPHeader
    let value: String
  }

  private var fields: [Field] = []

  /// A bit for each name that occurs: most fields are absent from most requests, and are looked for
  /// in each.
  private var present: UInt32 = 0

  /// Makes no headers.
  public init() {}

  /// Makes headers.
  public init(_ fields: [(name: HTTPHeader, value: String)]) {
    for field in fields { append(field.name, field.value) }
  }

  /// Makes headers.
  public init(arrayLiteral fields: (HTTPHeader, String)...) {
    for (header, value) in fields { append(header, value) }
  }

  /// Adds a field.
  public mutating func append(_ header: HTTPHeader, _ value: String) {
    if fields.isEmpty { fields.reserveCapacity(6) }
    fields.append(Field(header: header, value: value))
    present |= 1 << UInt32(header.rawValue)
  }

  /// The values of a field, combined with `, ` when it occurs more than once (RFC 9110, 5.3).
  public subscript(header: HTTPHeader) -> String? {
    guard present & 1 << UInt32(header.rawValue) != 0 else { return nil }
    var combined: String?
    for field in fields where field.header == header {
      combined = combined.map { "\($0), \(field.value)" } ?? field.value
    }
    return combined
  }
}

extension HTTPRequestHeaders: Sequence {
  /// Goes over the fields.
  public func makeIterator() -> some IteratorProtocol<(name: HTTPHeader, value: String)> {
    fields.lazy.map { (name: $0.header, value: $0.value) }.makeIterator()
  }
}

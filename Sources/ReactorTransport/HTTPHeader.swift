/// The request header fields that the service reads.
///
/// A transport passes these and drops the others, so that unused fields cost nothing.
public enum HTTPHeader: UInt8, CaseIterable, Sendable {
  case accept
  case acceptEncoding
  case accessControlRequestMethod
  case authorization
  case contentEncoding
  case contentType
  case cookie
  case datastarRequest
  case forwarded
  case forwardedFor
  case host
  case idempotencyKey
  case ifMatch
  case ifNoneMatch
  case lastEventID
  case origin
  case prefer
  case secFetchSite
  case traceparent
  case requestID

  /// The field's name in lowercase; requests may use any case.
  public var name: StaticString {
    switch self {
    case .accept: "accept"
    case .acceptEncoding: "accept-encoding"
    case .accessControlRequestMethod: "access-control-request-method"
    case .authorization: "authorization"
    case .contentEncoding: "content-encoding"
    case .contentType: "content-type"
    case .cookie: "cookie"
    case .datastarRequest: "datastar-request"
    case .forwarded: "forwarded"
    case .forwardedFor: "x-forwarded-for"
    case .host: "host"
    case .idempotencyKey: "idempotency-key"
    case .ifMatch: "if-match"
    case .ifNoneMatch: "if-none-match"
    case .lastEventID: "last-event-id"
    case .origin: "origin"
    case .prefer: "prefer"
    case .secFetchSite: "sec-fetch-site"
    case .traceparent: "traceparent"
    case .requestID: "x-request-id"
    }
  }
}

/// The header fields of a request in their order; a field may occur more than once.
///
/// Values are ASCII: every field that the service reads has an ASCII grammar, and other bytes are
/// replaced by `String.asciiOnly`, so that values can be compared as strings.
public struct HTTPRequestHeaders: Sendable, ExpressibleByArrayLiteral {
  private struct Field {
    let header: HTTPHeader
    let value: String
  }

  private var fields: [Field] = []

  /// One bit per field that occurs: most lookups are for absent fields.
  private var present: UInt32 = 0

  /// Creates an empty collection.
  public init() {}

  /// Creates a collection of fields.
  public init(_ fields: [(name: HTTPHeader, value: String)]) {
    for field in fields { append(field.name, field.value) }
  }

  /// Creates a collection of fields.
  public init(arrayLiteral fields: (HTTPHeader, String)...) {
    for (header, value) in fields { append(header, value) }
  }

  /// Appends a field.
  public mutating func append(_ header: HTTPHeader, _ value: String) {
    if fields.isEmpty { fields.reserveCapacity(6) }
    fields.append(Field(header: header, value: value.asciiOnly))
    present |= 1 << UInt32(header.rawValue)
  }

  /// The value of a field; the values of a repeated field are joined with `, ` (RFC 9110, 5.3).
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
  /// Iterates over the fields in their order.
  public func makeIterator() -> some IteratorProtocol<(name: HTTPHeader, value: String)> {
    fields.lazy.map { (name: $0.header, value: $0.value) }.makeIterator()
  }
}

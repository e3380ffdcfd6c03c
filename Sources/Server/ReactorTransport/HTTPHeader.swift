internal import Glibc

/// The request header fields that the service reads.
///
/// A transport passes these and drops the others, so that unused fields cost nothing.
package enum HTTPHeader: UInt8, CaseIterable, Sendable {
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
  case ifRange
  case lastEventID
  case origin
  case prefer
  case range
  case secFetchSite
  case traceparent
  case requestID

  /// The field's name in lowercase; requests may use any case.
  package var name: StaticString {
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
    case .ifRange: "if-range"
    case .lastEventID: "last-event-id"
    case .origin: "origin"
    case .prefer: "prefer"
    case .range: "range"
    case .secFetchSite: "sec-fetch-site"
    case .traceparent: "traceparent"
    case .requestID: "x-request-id"
    }
  }
}

/// The header fields of a request; a field may occur more than once.
///
/// Values are ASCII: every field that the service reads has an ASCII grammar, and other bytes are
/// replaced by `String.asciiOnly`, so that values can be compared as strings.
package struct HTTPRequestHeaders: Sendable, ExpressibleByArrayLiteral {
  private struct Field {
    let header: HTTPHeader
    let value: String
  }

  private var fields: [Field] = []

  /// The field `Authorization`, which a connection repeats with each request.
  package private(set) var authorization: AuthorizationField?

  /// One bit per field that occurs: most lookups are for absent fields.
  private var present: UInt32 = 0

  /// Creates an empty collection.
  package init() {}

  /// Creates a collection of fields.
  package init(_ fields: [(name: HTTPHeader, value: String)]) {
    for field in fields { append(field.name, field.value) }
  }

  /// Creates a collection of fields.
  package init(arrayLiteral fields: (HTTPHeader, String)...) {
    for (header, value) in fields { append(header, value) }
  }

  /// Appends a field.
  package mutating func append(_ header: HTTPHeader, _ value: String) {
    let value = value.asciiOnly
    guard header != .authorization else { return append(AuthorizationField(value)) }
    append(Field(header: header, value: value))
  }

  /// Appends a field `Authorization`; the values of repeated ones are joined.
  package mutating func append(_ field: AuthorizationField) {
    authorization =
      authorization.map { AuthorizationField($0.value + ", " + field.value) } ?? field
    present |= 1 << UInt32(HTTPHeader.authorization.rawValue)
  }

  /// Appends a field with the bytes of its value.
  package mutating func append(_ header: HTTPHeader, bytes: UnsafeBufferPointer<UInt8>) {
    append(Field(header: header, value: unsafe Self.text(of: bytes)))
  }

  private mutating func append(_ field: Field) {
    if fields.isEmpty { fields.reserveCapacity(6) }
    fields.append(field)
    present |= 1 << UInt32(field.header.rawValue)
  }

  /// Decodes a value; the media type of nearly every request is a constant and not allocated.
  private static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    let json: StaticString = "application/json"
    if bytes.count == json.utf8CodeUnitCount, let start = bytes.baseAddress,
      unsafe memcmp(start, json.utf8Start, bytes.count) == 0
    {
      return "application/json"
    }
    return unsafe String(asciiFrom: bytes)
  }

  /// Whether a field occurs.
  package func contains(_ header: HTTPHeader) -> Bool {
    present & 1 << UInt32(header.rawValue) != 0
  }

  /// The value of a field; the values of a repeated field are joined with `, ` (RFC 9110, 5.3).
  package subscript(header: HTTPHeader) -> String? {
    guard contains(header) else { return nil }
    guard let first = fields.firstIndex(where: { $0.header == header }) else {
      return authorization?.value
    }
    var combined = fields[first].value
    for index in first + 1..<fields.count where fields[index].header == header {
      combined += ", " + fields[index].value
    }
    return combined
  }
}

extension HTTPRequestHeaders: Sequence {
  /// Iterates over the fields in their order, `Authorization` last.
  package func makeIterator() -> some IteratorProtocol<(name: HTTPHeader, value: String)> {
    let last = authorization.map { Field(header: .authorization, value: $0.value) }
    return (fields + (last.map { [$0] } ?? [])).lazy
      .map { (name: $0.header, value: $0.value) }.makeIterator()
  }
}

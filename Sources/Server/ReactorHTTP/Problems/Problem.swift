internal import ReactorCoding
internal import ReactorTransport

/// An error response: `application/problem+json` (RFC 9457).
struct Problem: Error {
  static let mediaType = "application/problem+json"
  /// The position of the address in the body of each response with a problem.
  static let typePosition = #"{"type":""#.utf8.count

  let kind: ProblemKind
  var status: Int
  var title: String
  let detail: String
  var members: [JSONValue.Member] = []
  var headers = HTTPFields()

  init(
    _ kind: ProblemKind, _ detail: String, members: [JSONValue.Member] = [],
    headers: HTTPFields = [:]
  ) {
    self.kind = kind
    status = kind.status
    title = kind.title
    self.detail = detail
    self.members = members
    self.headers = headers
  }

  var response: HTTPResponse {
    let body = JSONValue.object(
      [
        .init("type", .string("/problems/\(kind.rawValue)")),
        .init("title", .string(title)),
        .init("status", .number(JSONNumber(status))),
        .init("detail", .string(detail)),
      ] + members)
    return HTTPResponse(
      status: status,
      headers: ["Content-Type": Self.mediaType, "Cache-Control": "no-store"] + headers,
      body: .bytes(body.bytes), problem: kind.rawValue)
  }
}

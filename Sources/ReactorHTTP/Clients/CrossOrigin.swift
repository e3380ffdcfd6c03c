/// Which web pages of other origins may use the service (the CORS protocol of the Fetch standard).
///
/// Without an origin, which is the default, nothing is said, and browsers let no other page read
/// an answer or send JSON.
public struct CrossOrigin: Sendable {
  /// `cors.origins`: the origins that may, each exactly as a browser sends it.
  public var origins: Set<String>

  /// `cors.credentials`: whether their requests may carry cookies and the like.
  public var allowsCredentials: Bool

  /// `cors.maxage`: for how many seconds a browser need not ask again before it sends.
  public var maxAge: Int

  /// Makes a rule, which allows nobody unless told.
  public init(origins: Set<String> = [], allowsCredentials: Bool = false, maxAge: Int = 600) {
    self.origins = origins
    self.allowsCredentials = allowsCredentials
    self.maxAge = maxAge
  }

  /// Whether a text is an origin as browsers write one: a scheme, a host and perhaps a port.
  public static func isOrigin(_ text: some StringProtocol) -> Bool {
    let scheme = ["http://", "https://"].first { text.hasPrefix($0) }
    guard let scheme else { return false }
    let host = text.utf8.dropFirst(scheme.utf8.count)
    return !host.isEmpty
      && host.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["),
          UInt8(ascii: "]"):
          true
        default: false
        }
      }
  }

  /// Whether any other origin is allowed at all, so that answers depend on who asks.
  var isUsed: Bool { !origins.isEmpty }

  /// What every answer to a page of an allowed origin has.
  func headers(for origin: String?) -> HTTPFields {
    guard let origin, origins.contains(origin) else { return [:] }
    var headers: HTTPFields = [
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Expose-Headers": Self.exposed,
    ]
    if allowsCredentials { headers.append("Access-Control-Allow-Credentials", "true") }
    return headers
  }

  /// What the answer to a browser's question before a request has beside these; empty for what is no
  /// such question, or one of another origin.
  func preflightHeaders(for request: HTTPRequest, methods: String) -> HTTPFields {
    guard let origin = request[header: .origin], origins.contains(origin),
      request[header: .accessControlRequestMethod] != nil
    else { return [:] }
    return [
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": Self.accepted,
      "Access-Control-Max-Age": String(maxAge),
    ]
  }

  /// The fields of requests that a page may set, beside those that it always may.
  private static let accepted = """
    Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, \
    Prefer, traceparent, X-Request-Id
    """

  /// The fields of answers that a page may read, beside those that it always may.
  private static let exposed = """
    Allow, ETag, Idempotent-Replayed, Link, Location, Preference-Applied, RateLimit, \
    RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id
    """
}

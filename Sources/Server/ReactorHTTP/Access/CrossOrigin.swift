internal import ReactorTransport

/// The web pages of other origins that may use the service (the CORS protocol of the Fetch
/// standard).
///
/// By default no other origin is allowed: browsers let no other page read a response, and requests
/// from other pages that change something are rejected.
package struct CrossOrigin: Sendable {
  /// `cors.origins`: the allowed origins.
  package var origins: AllowedOrigins

  /// `cors.credentials`: whether requests from these origins may carry credentials such as cookies.
  package var allowsCredentials: Bool

  /// `cors.headers`: the request fields that a page may set in addition to those of clients and of
  /// libraries for tracing.
  package var headers: Set<String>

  /// How long a browser may cache the response to a preflight request, in whole
  /// seconds.
  package var maxAge: Duration

  /// Creates a rule; by default it allows no origin.
  package init(
    origins: AllowedOrigins = AllowedOrigins(), allowsCredentials: Bool = false,
    headers: Set<String> = [], maxAge: Duration = .seconds(600)
  ) {
    self.origins = origins
    self.allowsCredentials = allowsCredentials
    self.headers = headers
    self.maxAge = maxAge
  }

  /// Whether any other origin is allowed: then responses depend on `Origin`.
  var isUsed: Bool { !origins.isEmpty }

  /// Rejects a request from a page whose origin is neither that of the service nor in
  /// `cors.origins`.
  ///
  /// Without this check a page could change sessions with requests that need no preflight, such as
  /// a `POST` without a body.
  func check(_ request: HTTPRequest) throws(Problem) {
    // Only browsers send these fields.
    let fields = request.head.headers
    guard fields.contains(.origin) || fields.contains(.secFetchSite) else { return }
    let origin = request[header: .origin]
    if let origin, origins.contains(origin) { return }
    let isForeign =
      switch request[header: .secFetchSite] {
      case "same-origin", "none": false
      case .some: true
      case nil: origin.map { !Self.isSame($0, as: request[header: .host]) } ?? false
      }
    guard isForeign else { return }
    throw Problem(
      .foreignOrigin,
      "The request comes from a page of another origin. The setting cors.origins allows origins.")
  }

  /// Returns whether the cookie of a request counts: not for a page of an allowed origin without
  /// `cors.credentials`.
  ///
  /// Browsers send cookies with requests that need no preflight, whatever the response permits.
  func acceptsCookie(of request: HTTPRequest) -> Bool {
    guard !allowsCredentials, let origin = request[header: .origin], origins.contains(origin) else {
      return true
    }
    return request[header: .secFetchSite] == "same-origin"
      || Self.isSame(origin, as: request[header: .host])
  }

  /// Whether an origin has the authority in `Host`; the scheme is unknown behind a TLS proxy.
  private static func isSame(_ origin: String, as host: String?) -> Bool {
    guard let host, let slashes = origin.utf8.firstIndex(of: UInt8(ascii: "/")) else {
      return false
    }
    return origin.utf8[slashes...].dropFirst(2).elementsEqual(host.lowercased().utf8)
  }

  /// Returns the fields of every response to a page of an allowed origin.
  func responseHeaders(for origin: String?) -> HTTPFields {
    guard let origin, origins.contains(origin) else { return [:] }
    var headers: HTTPFields = [
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Expose-Headers": Self.exposed,
    ]
    if allowsCredentials { headers.append("Access-Control-Allow-Credentials", "true") }
    return headers
  }

  /// Returns the additional fields of the response to a preflight request of an allowed origin;
  /// none for any other request.
  func preflightHeaders(for request: HTTPRequest, methods: String) -> HTTPFields {
    guard let origin = request[header: .origin], origins.contains(origin),
      request[header: .accessControlRequestMethod] != nil
    else { return [:] }
    return [
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": (Self.accepted + headers.sorted()).joined(separator: ", "),
      "Access-Control-Max-Age": String(maxAge.components.seconds),
    ]
  }

  /// The request fields that a page may set in addition to the CORS-safelisted ones: those of the contract,
  /// and those that libraries for HTTP and for tracing add to each request.
  private static let accepted = [
    "Accept", "Authorization", "Content-Type", "Datastar-Request", "Idempotency-Key", "If-Match",
    "If-None-Match", "Last-Event-ID", "Prefer", "X-Request-Id",
    "Cache-Control", "Pragma", "X-Requested-With",
    // W3C Trace Context and Baggage, Zipkin, Jaeger, Sentry, New Relic, Datadog, AWS, Google, Azure.
    "traceparent", "tracestate", "baggage",
    "b3", "X-B3-TraceId", "X-B3-SpanId", "X-B3-ParentSpanId", "X-B3-Sampled", "X-B3-Flags",
    "uber-trace-id", "sentry-trace", "newrelic",
    "x-datadog-trace-id", "x-datadog-parent-id", "x-datadog-origin",
    "x-datadog-sampling-priority", "x-datadog-tags",
    "X-Amzn-Trace-Id", "X-Cloud-Trace-Context", "Request-Id", "Request-Context",
  ]

  /// The response fields that a page may read in addition to the CORS-safelisted ones.
  private static let exposed = """
    Allow, ETag, Heartbeat-Interval, Idempotent-Replayed, Link, Location, Preference-Applied, RateLimit, \
    RateLimit-Policy, Retry-After, Session-Parameters, Stream-Id, WWW-Authenticate, X-Request-Id
    """
}

internal import ReactorCore
internal import ReactorHost

/// What every request and every answer goes through, whatever its address.
extension ReactorAPI {
  /// What the limit of a request's client says; `nil` where it has none.
  func verdict(on request: HTTPRequest, at address: Address?) -> RateLimiter.Verdict? {
    guard let rateLimiter, !Self.isProbe(address),
      let client = settings.trustedProxies.client(of: request)
    else { return nil }
    return rateLimiter.admit(client)
  }

  /// An orchestrator asks often, and has to be told.
  private static func isProbe(_ address: Address?) -> Bool {
    address == .health || address == .readiness
  }

  /// Refuses what may not go on.
  func admit(_ request: HTTPRequest, _ scope: RequestScope) throws(Problem) {
    if let verdict = scope.verdict, !verdict.isAllowed {
      throw Problem(
        .rateLimited,
        "More requests came from this address than are served in a second. Send fewer.",
        headers: ["Retry-After": "1"])
    }
    if let tokens = settings.tokens, !(request.method == "OPTIONS") {
      try tokens.check(request, at: scope.address, inQuery: settings.takesTokenInQuery)
    }
  }

  /// Adds to an answer what every one has, counts it, and tells the log.
  func finish(_ response: consuming HTTPResponse, _ scope: RequestScope) -> HTTPResponse {
    var varied: [String] = scope.address == .log ? ["Accept"] : []
    response.headers += Self.ofEveryAnswer
    response.headers.append("X-Request-Id", scope.context.id)
    if let compression = settings.compression {
      if scope.method == "GET" || scope.method == "HEAD" { varied.append("Accept-Encoding") }
      compression.apply(to: &response, wish: scope.compression)
    }
    if settings.crossOrigin.isUsed {
      varied.append("Origin")
      response.headers += settings.crossOrigin.headers(for: scope.origin)
    }
    if !varied.isEmpty { response.headers.append("Vary", varied.joined(separator: ", ")) }
    if let rateLimiter, let verdict = scope.verdict {
      response.headers += verdict.headers(limit: rateLimiter.limit)
    }
    requestCounts.count(scope.address, scope.method, response)
    tell(response, scope)
    return response
  }

  private static let ofEveryAnswer: HTTPFields = ["X-Content-Type-Options": "nosniff"]

  private func tell(_ response: HTTPResponse, _ scope: RequestScope) {
    // Overload and draining would fill the log; the line of the access is enough for them.
    if response.status >= 500, response.problemKind != .unavailable {
      logger.log(.warning, "request failed", fields: scope.fields + response.logFields)
    }
    if let line = scope.line {
      logger.log(
        settings.accessLog, "request", fields: line.fields + scope.fields + response.logFields)
    }
  }
}

extension HTTPResponse {
  fileprivate var logFields: [(String, String)] {
    [("status", String(status))] + (problemKind.map { [("problem", $0.rawValue)] } ?? [])
  }
}

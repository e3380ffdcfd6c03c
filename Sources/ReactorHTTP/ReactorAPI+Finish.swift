internal import Telemetry
internal import ReactorCore
internal import ReactorHost
internal import ReactorTransport

/// The completion of responses.
extension ReactorAPI {
  /// Completes a response and sends it; compresses a large body in the background.
  func finish(
    _ response: consuming HTTPResponse, of scope: RequestScope, then send: @escaping HTTPReply
  ) {
    if scope.head.acceptsGzip != .no, let compression = settings.compression,
      compression.isExpensive(response, for: scope.head.acceptsGzip)
    {
      let response = response
      return background.enqueue(for: .client(scope.client?.network)) { [self] in
        send(complete(response, of: scope))
      }
    }
    send(complete(response, of: scope))
  }

  /// Adds the common header fields, compresses the body, updates metrics, writes the access log.
  func complete(_ response: consuming HTTPResponse, of scope: RequestScope) -> HTTPResponse {
    var varied: [String] = []
    if scope.resource?.isNegotiated == true { varied.append("Accept") }
    response.headers.append("X-Content-Type-Options", constant: "nosniff")
    response.headers.appendRequestID(scope.context.id)
    if features.compresses, scope.method == .get || scope.method == .head {
      varied.append("Accept-Encoding")
    }
    if scope.head.acceptsGzip != .no, let compression = settings.compression {
      compression.apply(to: &response, for: scope.head.acceptsGzip)
    }
    if features.allowsOrigins {
      varied.append("Origin")
      response.headers += settings.crossOrigin.headers(for: scope.head.origin)
    }
    if !varied.isEmpty { response.headers.append("Vary", varied.joined(separator: ", ")) }
    if let rateLimiter, let rate = scope.rate {
      response.headers += rate.headers(limit: rateLimiter.limit)
    }
    let time = scope.stopwatch.microseconds
    metrics.count(scope.resource, scope.method, response, after: time)
    log(response, of: scope, after: time)
    return response
  }

  private func log(_ response: HTTPResponse, of scope: RequestScope, after time: Int) {
    // Responses due to overload or draining would flood the log; only the access log contains them.
    if response.status >= 500, response.problem != ProblemKind.unavailable.rawValue {
      logger.log(.warning, "request failed", fields: scope.logFields + response.logFields)
    }
    if let line = scope.accessLine {
      logger.log(
        settings.accessLog, "request",
        fields: line.fields(after: time) + scope.logFields + response.logFields)
    }
  }
}

extension HTTPResponse {
  fileprivate var logFields: [(String, String)] {
    [("status", String(status))] + (problem.map { [("problem", $0)] } ?? [])
  }
}

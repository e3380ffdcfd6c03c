internal import Telemetry
internal import ReactorHost
internal import ReactorTransport

/// The checks before a request is dispatched.
extension ReactorAPI {
  /// Counts a request against the rate of its client, or returns `nil` without a limit.
  func rate(of head: HeadReading) -> RateLimiter.Verdict? {
    guard let rateLimiter, head.resource?.isProbe != true, let client = head.client else {
      return nil
    }
    return rateLimiter.admit(client)
  }

  /// Rejects a request over the rate limit, from a foreign page, or without the right.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - scope: Its scope.
  ///   - mayWait: Whether a credential whose verification waits for another server is accepted until then.
  /// - Throws: The problem of the rejection.
  func admit(
    _ request: HTTPRequest, _ scope: RequestScope, mayWait: Bool = false
  ) throws(Problem) {
    if let rate = scope.rate, !rate.isAllowed {
      throw Problem(
        .rateLimited,
        "The address exceeds limits.rate, the requests per second. Send fewer.",
        headers: ["Retry-After": "1"])
    }
    if let foreign = scope.head.foreign { throw foreign }
    if mayWait, case .pending = scope.credential { return }
    try authorize(request, scope)
  }

  /// Returns the problem of a request for another host, or from a foreign page, or `nil` for none.
  func foreignRequest(
    _ request: HTTPRequest, at resource: Resource?, _ method: HTTPMethod
  ) -> Problem? {
    do throws(Problem) {
      if resource?.isProbe != true { try settings.hosts.check(request) }
      if !method.isSafe { try settings.crossOrigin.check(request) }
      return nil
    } catch {
      return error
    }
  }

  /// Counts and logs a rejection that is a failed authentication.
  ///
  /// The count limits the number of lines as well: beyond it, credentials of the address are rejected before they
  /// are verified.
  func countFailure(_ problem: Problem, of scope: RequestScope) {
    guard problem.kind == .unauthorized, presentsCredential(scope) else { return }
    if let client = scope.client, !failureLimiter.admit(client).isAllowed { return }
    logger.log(
      .warning, "authentication failed",
      fields: scope.logFields + [
        ("client", scope.client?.description ?? "unix"), ("reason", problem.detail),
      ])
  }
}

internal import Telemetry
internal import ReactorHost
internal import ReactorTransport

/// The checks before a request is dispatched.
extension ReactorAPI {
  /// Counts a request against the rate of its client; `nil` without a limit.
  func rate(of client: ClientAddress?, at resource: Resource?) -> RateLimiter.Verdict? {
    guard let rateLimiter, resource?.isProbe != true, let client else { return nil }
    return rateLimiter.admit(client)
  }

  /// Rejects a request over the rate limit, from a foreign page, or without the right.
  func admit(_ request: HTTPRequest, _ scope: RequestScope) throws(Problem) {
    if let rate = scope.rate, !rate.isAllowed {
      throw Problem(
        .rateLimited,
        "More requests came from this address than are served in a second. Send fewer.",
        headers: ["Retry-After": "1"])
    }
    if scope.resource?.isProbe != true { try settings.hosts.check(request) }
    if !scope.method.isSafe { try settings.crossOrigin.check(request) }
    try authorize(request, scope)
  }

  /// Sends the response to a failed authentication: at once up to a rate per address, then delayed.
  func rejectAuthentication(_ problem: Problem, of call: Call) {
    guard exceedsFailureRate(call.request, call.scope) else { return call.reply(problem) }
    timers.schedule(DelayedReply(problem, call.reply), after: Limits.failureDelay)
  }

  /// Counts and logs a failed authentication; returns whether its address has too many of them.
  func exceedsFailureRate(_ request: HTTPRequest, _ scope: RequestScope) -> Bool {
    guard presentsCredential(scope) else { return false }
    let client = settings.client(of: request)
    if let client, !failureLimiter.admit(client).isAllowed { return true }
    logger.log(
      .warning, "authentication failed",
      fields: scope.logFields + [("client", client?.description ?? "unix")])
    return false
  }
}

/// A response that is sent when its timer expires.
private final class DelayedReply: TimerTarget {
  private let problem: Problem
  private let reply: Reply

  init(_ problem: Problem, _ reply: Reply) {
    self.problem = problem
    self.reply = reply
  }

  func timerExpired() { reply(problem) }
}

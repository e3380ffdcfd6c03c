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

  /// Sends the response to a request that is not admitted, if necessary after a delay.
  ///
  /// At most one response per connection is delayed.
  func reject(_ call: Call, _ problem: Problem) {
    let delay = delay(of: problem, call.request, call.scope)
    guard delay > .zero else { return call.reply(problem) }
    timers.schedule(DelayedReply(problem, call.reply), after: .init(delay))
  }

  /// The delay of a rejection: zero, except for a failed authentication of an address with too many.
  ///
  /// Counts and logs failed authentications.
  func delay(of problem: Problem, _ request: HTTPRequest, _ scope: RequestScope) -> Duration {
    guard problem.kind == .unauthorized, presentsCredential(scope) else { return .zero }
    let client = client(of: request)
    if let client, !failureLimiter.admit(client).isAllowed { return Limits.failureDelay }
    logger.log(
      .warning, "authentication failed",
      fields: scope.logFields + [("client", client?.description ?? "unix")])
    return .zero
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

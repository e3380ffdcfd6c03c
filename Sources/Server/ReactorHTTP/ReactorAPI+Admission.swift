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
  func admit(_ request: HTTPRequest, _ scope: RequestScope) throws(Problem) {
    if let rate = scope.rate, !rate.isAllowed {
      throw Problem(
        .rateLimited,
        "The address exceeds limits.rate, the requests per second. Send fewer.",
        headers: ["Retry-After": "1"])
    }
    if let foreign = scope.head.foreign { throw foreign }
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

  /// Sends the response to a request that is not admitted, if necessary after a delay.
  ///
  /// At most one response per connection is delayed.
  func reject(_ call: Call, _ problem: Problem) {
    let delay = delay(of: problem, call.request, call.scope)
    guard delay > .zero else { return call.reply(problem) }
    timers.schedule(DelayedReply(problem, call.reply), after: .init(delay))
  }

  /// Returns the delay of a rejection: zero, except for a failed authentication from an address
  /// with too many of them.
  ///
  /// Counts failed authentications, and logs those that are not delayed.
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

internal import Identity
internal import Telemetry
internal import ReactorCore
internal import ReactorHost
internal import ReactorTransport
internal import Shares
internal import Synchronization

/// One request with its parameters and its reply, as handlers see it.
struct Call: Sendable {
  let request: HTTPRequest
  let reply: Reply

  var scope: RequestScope { reply.scope }

  /// The value of a parameter of the path template.
  subscript(parameter: String) -> String { scope[parameter] }

  /// The path without `http.prefix`.
  var localPath: WireText { scope.api.endpoints.local(request.path) }

  /// Whether only the head of the response is sent.
  var isHead: Bool { scope.method == .head }
}

/// Sends the response to one request: call it exactly once, on any thread.
struct Reply: Sendable {
  let scope: RequestScope
  fileprivate let send: HTTPReply

  init(_ scope: RequestScope, _ send: @escaping HTTPReply) {
    self.scope = scope
    self.send = send
  }

  /// The timers of pending responses.
  var timers: TimerWheel { scope.api.timers }

  /// Completes the response with the common header fields and sends it.
  func callAsFunction(_ response: consuming HTTPResponse) {
    scope.api.finish(response, of: scope, then: send)
  }

  /// Sends the response that a function returns, or the problem that it throws.
  func callAsFunction(_ response: () throws(Problem) -> HTTPResponse) {
    do throws(Problem) {
      self(try response())
    } catch {
      self(error)
    }
  }

  /// Calls a function that sends the response, or the problem that it throws.
  func onError(_ body: () throws(Problem) -> Void) {
    do throws(Problem) {
      try body()
    } catch {
      self(error)
    }
  }

  /// Calls an `async` function that sends the response, or the problem that it throws.
  func onError(_ body: () async throws(Problem) -> Void) async {
    do throws(Problem) {
      try await body()
    } catch {
      self(error)
    }
  }

  /// Sends a response, or a problem.
  func callAsFunction(_ result: Result<HTTPResponse, Problem>) {
    switch result {
    case .success(let response): self(response)
    case .failure(let problem): self(problem)
    }
  }

  /// Sends a problem.
  func callAsFunction(_ problem: Problem) { self(problem.response) }
}

/// The data of a request that its response, the metrics and the log need.
///
/// Does not retain the request, whose body may be large.
final class RequestScope: HTTPAdmissionToken {
  /// The data of its head.
  let head: HeadReading
  /// The verified credential of the request.
  let credential: Credential
  /// The request's id, the trace that it belongs to, and its principal.
  let context: RequestContext
  /// The decision of the rate limiter, or `nil` without a limit.
  let rate: RateLimiter.Verdict?
  /// The data of the access log's line, or `nil` if none is written.
  let accessLine: AccessLine?
  /// The sessions whose State a delegate needs.
  let decision = DelegateDecision()
  /// The right that a check has found missing, or `nil` if it is that of the endpoint.
  private let missing = Mutex<Denials.MissingRight?>(nil)
  /// The credential that has replaced that of a stream, or `nil`.
  private let replacement = Mutex<Authentication?>(nil)
  /// Measures the time since the request's head was read.
  let stopwatch = Stopwatch()

  /// Reads the head of a request and counts it against the client's rate.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - api: The service.
  ///   - acceptsTicket: Whether a ticket is used up. Not for a request that the transport rejects: the
  ///     client repeats it.
  ///   - known: The decision of the rate limiter on the request, if it was counted before.
  init(
    _ request: borrowing HTTPRequest, in api: borrowing ReactorAPI, acceptsTicket: Bool = true,
    rate known: RateLimiter.Verdict? = nil
  ) {
    let head = HeadReading.reading(request, in: api)
    self.head = head
    rate = known ?? api.rate(of: head)
    credential =
      api.authenticator == nil || rate?.isAllowed == false
      ? .notNeeded
      : api.credential(
        of: request, from: head.client, at: head.resource, head.method,
        acceptsTicket: acceptsTicket)
    var context = RequestContext(
      id: head.requestID ?? RequestID.next(), traceparent: head.trace?.child(),
      principal: api.settings.principal ?? credential.authentication?.principal)
    context.credential = credential.authentication?.namelessCredential
    context.account = credential.account(in: api.ledger) ?? head.account
    if api.creationLimiter != nil {
      context.isExempt = credential.authentication?.allows(.admin, to: .service) == true
    }
    self.context = context
    accessLine =
      api.logger.writes(api.settings.accessLog)
      ? AccessLine(path: request.path.description, client: head.client) : nil
  }

  /// Creates the scope of a connection that is rejected before its request was read.
  init(rejectedBy api: ReactorAPI) {
    head = HeadReading(rejectedBy: api)
    credential = .notNeeded
    context = RequestContext(id: RequestID.next())
    rate = nil
    accessLine = nil
  }

  /// The right that a check has found missing, or `nil` if it is that of the endpoint.
  var missingRight: Denials.MissingRight? { missing.withLock { $0 } }

  /// Returns the problem of a request without a right, and keeps the right for the explanation.
  func denial(
    of right: Right, to target: Grants.Target, for use: Grants.Use = .some,
    _ access: Authentication
  ) -> Problem {
    missing.withLock { $0 = Denials.MissingRight(right: right, target: target, use: use) }
    return access.isAuthenticated ? .forbidden(right) : .unauthorized(nil)
  }

  /// Replaces the credential of a stream.
  func replaceCredential(by authentication: Authentication) {
    replacement.withLock { $0 = authentication }
  }

  /// The authentication of the request, or the one that has replaced it, or `nil` for none.
  var authentication: Authentication? {
    guard resource?.isStream == true else { return credential.authentication }
    return replacement.withLock { $0 } ?? credential.authentication
  }

  /// The principal that decides what the client sees: of a stream that of its latest credential.
  var principal: Principal? {
    guard resource?.isStream == true else { return context.principal }
    return replacement.withLock { $0 }?.principal ?? context.principal
  }

  var api: ReactorAPI { head.api }
  var method: HTTPMethod { head.method }
  /// The resource of the path, or `nil` for an unknown path.
  var resource: Resource? { head.resource }
  /// The endpoint, or `nil` for an unknown path or a method that is not allowed.
  var endpoint: Endpoint? { head.endpoint }
  /// The network address of the client, or `nil` on a Unix-domain socket.
  var client: ClientAddress? { head.client }
  /// The account of the client, for all bounds: by its principal if there is one, otherwise by its address.
  var account: Account? { context.account }

  /// The value of a parameter of the path template, which must have it.
  subscript(parameter: String) -> String { head[parameter] }

  /// The fields of every log line about the request.
  var logFields: [(String, String)] {
    [("method", method.name), ("route", resource?.template ?? "none")] + context.logFields
  }
}

/// The additional fields of the access log.
final class AccessLine: Sendable {
  private let path: String
  private let client: ClientAddress?

  init(path: String, client: ClientAddress?) {
    self.path = path
    self.client = client
  }

  /// Returns the fields of a response that was completed `time` microseconds after the request's
  /// head was read.
  func fields(after time: Int) -> [(String, String)] {
    [
      ("path", path), ("client", client?.description ?? "unix"), ("microseconds", String(time)),
    ]
  }
}

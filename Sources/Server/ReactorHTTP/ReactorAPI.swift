package import Identity
package import Telemetry
package import ReactorHost
internal import ReactorStreams
package import ReactorTransport
package import Shares
internal import Synchronization

/// The HTTP contract: receives requests from a transport and responds to them from a host.
///
/// Every request passes the same chain:
///
/// 1. `RequestScope`: request id, resource of the path, rate of the client.
/// 2. `admit`: rate limit, `Host` and `Origin`, access right.
/// 3. `dispatch`: method, `OPTIONS`, draining, and the handler of the `Endpoint`.
/// 4. `finish`: common header fields, CORS, compression, metrics, access log.
///
/// Retains nothing about a client between requests, except for its open streams, the counts of
/// limiters and verified credentials.
package final class ReactorAPI: HTTPResponder {
  let settings: Settings
  /// The features that requests depend on; reading them from `settings` would copy parts of the
  /// settings.
  let features: Features
  let logger: Logger
  let endpoints: EndpointTable
  private let pages: PageEndpoints
  private let service: ServiceEndpoints
  let channels: EventChannels
  /// Executes work that would block a request worker or a stream loop.
  let background: WorkerPool
  let timers = TimerWheel()
  let metrics: RequestCounts
  let rateLimiter: RateLimiter?
  let creationLimiter: ClientLimiter?
  /// Limits how fast one address can try credentials.
  let failureLimiter = RateLimiter(limit: Limits.failedAuthentications)
  /// The latest requests without the right that they need.
  let denials = Denials()
  /// Verifies credentials, or returns `nil` if every client has every right.
  let authenticator: Authenticator?
  /// Wakes streams whose credentials expire, so that they end.
  let expiries: StreamExpiries
  /// The streams whose credential can be replaced.
  let openStreams = OpenStreams()
  let host: Host
  /// Counts the holdings of clients in shared tables.
  var ledger: Ledger { host.settings.ledger }
  /// Whether any reactor has a delegate, which decides on requests.
  let hasDelegates: Bool
  /// Whether a reactor has a projection, so that clients see different parts of its States.
  let hasProjections: Bool
  private let draining = Atomic<Bool>(false)

  /// Creates the service.
  package convenience init(
    host: Host, settings: Settings = Settings(), logger: Logger = .silent
  ) {
    self.init(host: host, settings: settings, logger: logger, background: host.background)
  }

  init(
    host: Host, settings: Settings, logger: Logger, background: WorkerPool,
    adding others: [Endpoint] = [], expiries: StreamExpiries = StreamExpiries()
  ) {
    self.expiries = expiries
    self.settings = settings
    features = Features(of: settings)
    self.logger = logger
    self.host = host
    hasDelegates = host.reactors.contains { $0.hasDelegate }
    hasProjections = host.reactors.contains { $0.projector != nil }
    authenticator = settings.authentication.map { Authenticator($0) }
    let limits = settings.limits
    rateLimiter = limits.rate > 0 ? RateLimiter(limit: limits.rate) : nil
    // The host counts the sessions that are created by sends.
    if limits.sessions > 0 { host.settings.ledger.limitCreations(perHour: limits.sessions) }
    creationLimiter = host.settings.ledger.creationLimiter
    self.background = background
    channels = EventChannels(
      bound: limits.streamBuffer, background: background, ledger: host.settings.ledger)
    service = ServiceEndpoints(host: host, settings: settings)
    let streams = StreamEndpoints(
      host: host, channels: channels, limits: limits, heartbeat: settings.heartbeat)
    pages = PageEndpoints(files: settings.files, folder: settings.folder)
    endpoints = EndpointTable(
      pages.all
        + service.all
        + CatalogueEndpoints(host: host).all
        + SessionEndpoints(host: host).all
        + ActionEndpoints(host: host, defaultWait: settings.actionWait).all
        + LogEndpoints(host: host).all
        + EffectEndpoints(host: host).all
        + TimerEndpoints(host: host).all
        + SubscriberEndpoints(host: host).all
        + SignalEndpoints(host: host, limits: limits).all
        + FailureEndpoints(host: host, wait: .init(settings.actionWait)).all
        + QuarantineEndpoints(host: host).all
        + GlobalEndpoints(host: host).all
        + NodeEndpoints(settings: settings).all
        + TicketEndpoints().all
        + StreamCredentialEndpoints().all
        + AccessEndpoints(host: host).all
        + RevocationEndpoints(revocations: settings.revocations).all
        + streams.all
        + ChangeEndpoints(host: host, streams: streams).all + others, below: settings.prefix)
    host.changeFeed?.observe(channels)
    host.onShortage { [weak channels] in channels?.endStreams(ofSessionsOf: $0) }
    metrics = RequestCounts(endpoints.resources)
    service.describe(
      endpoints, metrics: [host, metrics, channels.counts] + (rateLimiter.map { [$0] } ?? []))
    guard authenticator != nil else { return }
    // Other nodes revoke credentials, too.
    _ = settings.revocations?.subscribe(
      AnyObserver { [weak self] event in
        if case .next(let revocations) = event { self?.revoke(revocations) }
      })
  }

  /// Records a sample of the metrics for the charts of the last hour, unless the current interval has one.
  ///
  /// Call this at intervals of less than 10 s, on a thread that may read small files.
  package func takeSample() { service.takeSample() }

  /// Whether the service is draining.
  package var isDraining: Bool { draining.load(ordering: .acquiring) }

  /// Begins to drain: running requests are completed, new ones are rejected, streams are ended.
  ///
  /// Idempotent.
  package func drain() {
    guard !draining.exchange(true, ordering: .acquiringAndReleasing) else { return }
    channels.drain()
  }

  /// Ends the waits for effects: accepted actions get 202, as at the end of `actions.wait`.
  ///
  /// Call this shortly before requests are cut off; an empty rejection would not say that the action is stored.
  package func endWaits() { timers.expireAll() }

  /// Replaces the keys, tokens and rules of a service that authenticates its clients.
  ///
  /// Streams whose credential or right is no longer valid end, and send nothing that is committed after this
  /// call. A request whose body is arriving is rejected, and a response that waits for an effect has no State.
  package func replaceAuthentication(_ configuration: Authenticator.Configuration) {
    authenticator?.replace(configuration)
    recheckStreams()
  }

  /// Replaces the revocations of the store: nothing that is committed later is sent with a revoked credential.
  func revoke(_ revocations: [Revocation]) {
    if authenticator?.revoke(revocations) == true { recheckStreams() }
  }

  /// Checks the open streams again: their credentials, and the permissions of delegates, which can
  /// have been withdrawn.
  package func recheckStreams() {
    expiries.configurationChanged()
  }

  // MARK: The chain

  /// Checks a request before its body is read: rate, `Host` and `Origin`, right, method.
  package func admit(_ head: HTTPRequest) -> HTTPAdmission {
    let scope = RequestScope(head, in: self)
    do throws(Problem) {
      try admit(head, scope, mayWait: true)
      try checkEndpoint(of: scope, head)
      return .accept(scope)
    } catch {
      countFailure(error, of: scope)
      return .reject(complete(error.response, of: scope))
    }
  }

  /// Responds to one request, immediately or later.
  package func respond(to request: HTTPRequest, reply: @escaping HTTPReply) {
    let admitted = request.admission as? RequestScope
    if let admitted {
      let call = Call(request: request, reply: Reply(admitted, reply))
      do throws(Problem) {
        if try authorizeAgain(request, admitted) { return dispatch(call) }
      } catch {
        countFailure(error, of: admitted)
        return call.reply(error)
      }
    }
    let scope = RequestScope(request, in: self, rate: admitted?.rate)
    if case .pending(let decision) = scope.credential {
      return respond(to: request, scope, after: decision, reply)
    }
    admitAndDispatch(Call(request: request, reply: Reply(scope, reply)))
  }

  private func admitAndDispatch(_ call: Call) {
    do throws(Problem) {
      try admit(call.request, call.scope)
    } catch {
      countFailure(error, of: call.scope)
      return call.reply(error)
    }
    dispatch(call)
  }

  /// Responds to a request whose credential can be verified after a request to another server.
  private func respond(
    to request: HTTPRequest, _ scope: RequestScope, after decision: PendingDecision,
    _ reply: @escaping HTTPReply
  ) {
    do throws(Problem) {
      try admit(request, scope, mayWait: true)
    } catch {
      return Reply(scope, reply)(error)
    }
    // Connections bound the number of these tasks, and a decision takes seconds at most.
    Task {
      await decision.wait()
      var next = RequestScope(request, in: self, rate: scope.rate)
      // The decision may have ended: before the body arrived, or while other tasks were executed.
      for _ in 1..<Limits.credentialDecisions {
        guard case .pending(let decision) = next.credential else { break }
        await decision.wait()
        next = RequestScope(request, in: self, rate: scope.rate)
      }
      background.enqueue(for: .client(next.account)) { [self, next] in
        admitAndDispatch(Call(request: request, reply: Reply(next, reply)))
      }
    }
  }

  private func dispatch(_ call: Call) {
    do throws(Problem) {
      try checkEndpoint(of: call.scope, call.request)
      guard let endpoint = call.scope.endpoint else { return call.reply(options(call)) }
      guard isExpensive(call.request, at: endpoint) else { return try execute(endpoint, call) }
      try call.inBackground { [self] () throws(Problem) in try execute(endpoint, call) }
    } catch {
      call.reply(call.scope.resource == nil ? unknownPath(error, call) : error.response)
    }
  }

  private func unknownPath(_ problem: Problem, _ call: Call) -> HTTPResponse {
    // Relative addresses of the page below `http.prefix` need the slash.
    guard call.scope.method.isSafe, !settings.prefix.isEmpty,
      call.request.path == WireText(settings.prefix)
    else { return pages.notFound(problem, for: call) }
    let query = call.request.query.map { "?\($0.description.asciiOnly)" } ?? ""
    return HTTPResponse(status: 308, headers: ["Location": "/" + query] + .revalidated)
  }

  /// Rejects a request if no endpoint serves it as it is, or now; `OPTIONS` needs no endpoint.
  private func checkEndpoint(of scope: RequestScope, _ request: HTTPRequest) throws(Problem) {
    if let endpoint = scope.head.endpoint {
      if let problem = endpoint.parameterNames.problem(in: request.query) { throw problem }
      if endpoint.rejectsPreconditions,
        request[header: .ifMatch] != nil || request[header: .ifNoneMatch] != nil
      {
        throw Preconditions.unsupported
      }
      if isDraining, !scope.head.isServedWhileDraining {
        throw .unavailable("The service is stopping.")
      }
      // Tickets and new credentials for streams change nothing.
      if settings.isPaused, !scope.method.isSafe, scope.resource?.reach != .credential {
        throw Problem(
          .servicePaused, "The service is paused and serves reads only. Nothing was changed.")
      }
      return
    }
    // `OPTIONS *` is about the server as a whole (RFC 9110, 9.3.7).
    if scope.method == .options, scope.resource != nil || request.path == "*" { return }
    throw noEndpoint(for: scope)
  }

  private func noEndpoint(for scope: RequestScope) -> Problem {
    guard let resource = scope.resource else {
      return Problem(
        .notFound, "Nothing exists at this address. GET /v1/reactors lists the hosted reactors.")
    }
    return Problem(
      .methodNotAllowed, "This address accepts \(resource.allow).",
      headers: ["Allow": resource.allow])
  }

  private func options(_ call: Call) -> HTTPResponse {
    guard let resource = call.scope.resource else {
      return HTTPResponse(
        status: 204, headers: ["Allow": "GET, HEAD, POST, PUT, DELETE, OPTIONS"])
    }
    return HTTPResponse(
      status: 204,
      headers: ["Allow": resource.allow]
        + settings.crossOrigin.preflightHeaders(for: call.request, methods: resource.allow))
  }

  /// Whether a request may take so long that other requests must not wait for it.
  private func isExpensive(_ request: HTTPRequest, at endpoint: Endpoint) -> Bool {
    endpoint.traits.contains(.background) || request.bodySize > Limits.foregroundBody
  }

  /// Returns the account of the client that a proxy has sent a request for.
  package func account(for request: HTTPRequest) -> Account? {
    HeadReading.reading(request, in: self).account
  }

  /// Serves probes and administrators on reserved connections.
  package func lane(for request: HTTPRequest) -> HTTPLane {
    var parameters = PathParameters()
    let resource = endpoints.match(request.path, &parameters)
    // A probe without a body: an unfinished body would occupy a reserved connection.
    if resource?.isProbe == true, !request.hasBody { return .priority }
    let credential = credential(
      of: request, from: client(of: request), at: resource, HTTPMethod(request.method),
      acceptsTicket: false)
    let isAdministrator = credential.authentication?.allows(.admin, to: .service) == true
    return isAdministrator ? .priority : .immediate
  }

  /// Creates the response to a request that the transport rejects.
  package func rejection(for reason: HTTPRejection, of request: HTTPRequest?) -> HTTPResponse {
    let scope =
      request.map { RequestScope($0, in: self, acceptsTicket: false) }
      ?? RequestScope(rejectedBy: self)
    return complete(Problem(reason).response, of: scope)
  }
}

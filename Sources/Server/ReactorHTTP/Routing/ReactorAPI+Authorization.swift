internal import Crypto
internal import Identity
internal import ReactorCoding
internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The decision whether a request is permitted.
extension ReactorAPI {
  /// Rejects a request without the right that its endpoint needs.
  ///
  /// The decision does not depend on whether the session exists.
  func authorize(_ request: HTTPRequest, _ scope: RequestScope) throws(Problem) {
    guard scope.method != .options, let resource = scope.resource,
      let right = resource.right(for: scope.method)
    else { return }
    switch scope.credential {
    case .notNeeded: break
    case .invalid(let failure): throw .unauthorized(failure)
    case .pending: throw .unauthorized(.unavailable)
    case .valid(let authentication, let isCookie):
      // Browsers send cookies with the requests of every page: check the origin of reads, too.
      if isCookie { try settings.crossOrigin.check(request) }
      try require(right, of: authentication, request, scope, resource)
    case .field(let field):
      let isKnown = resource.reach == .session && field.recallsGrant(of: right, at: request.path)
      guard !isKnown else { break }
      try require(right, of: field.access, request, scope, resource)
      if resource.reach == .session { field.recordGrant(of: right, at: request.path) }
    }
    if hasProjections { try requireInspection(request, scope) }
    // A service without delegates and webhook allocates nothing here.
    guard hasDelegates || scope.access?.webhook != nil else { return }
    do throws(Problem) {
      try askDelegates(request, scope)
    } catch {
      let (missing, question) = (scope.decision.takeMissing(), scope.decision.takeQuestion())
      guard missing != nil || question != nil else { throw error }
      scope.decision.postpone()
    }
  }

  /// Requests the permission of the webhook, and of the delegates of the sessions that a request names.
  private func askDelegates(_ request: HTTPRequest, _ scope: RequestScope) throws(Problem) {
    guard let resource = scope.resource, let access = resource[scope.method]?.delegateAccess
    else { return }
    for (reactor, id) in sessions(of: resource, request, scope) {
      guard let reactor = host.reactor(reactor) else { continue }
      try scope.askDelegate(access, reactor, id)
    }
  }

  /// Rejects a request without the right `inspect` for a projected reactor whose secrets the endpoint shows.
  private func requireInspection(
    _ request: HTTPRequest, _ scope: RequestScope
  ) throws(Problem) {
    guard let endpoint = scope.endpoint, !endpoint.traits.contains(.projected),
      let resource = scope.resource
    else { return }
    if let reactor = scope.head.reactor, resource.reach == .reactor {
      try scope.requireInspection(of: reactor, nil)
    }
    for (name, id) in sessions(of: resource, request, scope) {
      if let reactor = host.reactor(name) { try scope.requireInspection(of: reactor, id) }
    }
  }

  /// Executes an endpoint; waits first for the webhook, and opens the sessions whose States a delegate needs.
  func execute(_ endpoint: Endpoint, _ call: Call) throws(Problem) {
    let scope = call.scope
    do throws(Problem) {
      // The body may have taken longer than the decision of the webhook is valid.
      if scope.access?.webhook != nil || hasDelegates && scope.decision.isPending {
        try askDelegates(call.request, scope)
      }
      try endpoint.handler(call)
    } catch {
      if let question = scope.decision.takeQuestion() {
        return executeLater(endpoint, call, after: question.pending, question.digest)
      }
      guard hasDelegates, let key = scope.decision.takeMissing(),
        let reactor = host.reactor(key.reactor)
      else { throw error }
      call.start { [self] () throws(Problem) in
        await call.takeTurnToRead()
        do throws(SessionError) {
          scope.decision.know(try await reactor.findSession(key.id), key)
        } catch .unknown, .ended {
          // The decision does not depend on whether the session exists.
          let nothing = CommittedState(cursor: Cursor(epoch: "-", version: 0), json: [])
          scope.decision.know(.absent(nothing), key)
        } catch {
          throw Problem(error)
        }
        try execute(endpoint, call)
      }
    }
  }

  /// Executes an endpoint when the webhook has decided.
  private func executeLater(
    _ endpoint: Endpoint, _ call: Call, after pending: PendingAccess, _ digest: SHA256.Digest
  ) {
    // Connections bound the number of these tasks; each waits once for each session of its request.
    Task {
      call.scope.decision.know(await pending.decision(), digest)
      background.enqueue(for: call.owner) { [self] in
        call.asClient {
          call.reply.onError { [self] () throws(Problem) in try execute(endpoint, call) }
        }
      }
    }
  }

  /// Rejects a request whose body has arrived, if its credential has lost the right meanwhile: a body may take a minute.
  ///
  /// - Returns: `false` if the credential must be verified again: because that waited for another server, or because
  ///   the credential is no longer accepted, for a reason that only its verification knows.
  func authorizeAgain(_ request: HTTPRequest, _ scope: RequestScope) throws(Problem) -> Bool {
    if case .pending = scope.credential { return false }
    guard let authenticator, let known = scope.credential.authentication,
      !authenticator.isCurrent(known, at: Self.now), let resource = scope.resource,
      let right = resource.right(for: scope.method)
    else { return true }
    guard let current = authenticator.refresh(known, at: Self.now) else { return false }
    try require(right, of: current, request, scope, resource)
    return true
  }

  /// The time in seconds since 1970.
  static var now: Int64 { Timestamp.now.milliseconds / 1000 }

  /// Rejects a request without a right to the target of its endpoint; the sessions in the query are not checked
  /// without the request.
  func require(
    _ right: Right, of authentication: Authentication, _ request: HTTPRequest?,
    _ scope: RequestScope, _ resource: Resource
  ) throws(Problem) {
    guard isAllowed(right, authentication, request, scope, resource) else {
      guard authentication.isAuthenticated else { throw .unauthorized(nil) }
      // A reactor of which the client can read nothing is not distinguished from one that does not exist.
      if resource.reach == .reactor, !authentication.allows(.read, to: .reactor(scope["reactor"])) {
        throw .unknownReactor
      }
      if resource.reach == .sessionsInQuery, let request {
        let denied = sessions(of: resource, request, scope).lazy
          .map { Grants.Target.session(reactor: $0, id: $1) }
          .first { !authentication.allows(right, to: $0) }
        if let denied { throw scope.denial(of: right, to: denied, authentication) }
      }
      throw .forbidden(right)
    }
  }

  private func isAllowed(
    _ right: Right, _ authentication: Authentication, _ request: HTTPRequest?,
    _ scope: RequestScope, _ resource: Resource
  ) -> Bool {
    switch resource.reach {
    case .credential: return authentication.isAuthenticated
    case .service: return authentication.allows(right, to: .service)
    case .reactor: return authentication.allows(right, to: .reactor(scope["reactor"]))
    case .anything: return allowsAnything(authentication)
    case .session:
      return authentication.allows(
        right, to: .session(reactor: scope["reactor"], id: scope["session"]))
    case .sessionsInQuery:
      let sessions = request.map { self.sessions(of: resource, $0, scope) } ?? []
      guard !sessions.isEmpty else { return allowsAnything(authentication) }
      return sessions.allSatisfy { authentication.allows(right, to: .session(reactor: $0, id: $1)) }
    }
  }

  /// Returns whether an authentication suffices for an endpoint that checks each session by itself.
  func allowsAnything(_ authentication: Authentication) -> Bool {
    authentication.isAuthenticated
      || host.reactors.contains { authentication.allows(.read, to: .reactor($0.name)) }
  }

  /// Returns the sessions that a request names; names that are malformed are left to the endpoint.
  func sessions(
    of resource: Resource, _ request: HTTPRequest, _ scope: RequestScope
  ) -> [(reactor: String, id: String)] {
    switch resource.reach {
    case .session: return [(scope["reactor"], scope["session"])]
    case .sessionsInQuery:
      let names = (try? Query(request.query))?.all("session") ?? []
      return names.compactMap { name in
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
      }
    case .anything, .credential, .reactor, .service: return []
    }
  }
}

extension RequestScope {
  /// The rights of the request's credential, or `nil` if every client has every right.
  ///
  /// They are those of the current configuration, which may have been replaced since the request arrived.
  var access: Authentication? {
    guard let known = authentication, let authenticator = api.authenticator else { return nil }
    return authenticator.current(known, at: ReactorAPI.now)
  }

  /// Returns whether lists may contain a reactor for the request.
  func maySee(_ reactor: any HostedReactor) -> Bool {
    access?.allows(.read, to: .reactor(reactor.name)) ?? true
  }

  /// Returns whether the request may read every session of a reactor.
  func mayReadAll(of reactor: any HostedReactor) -> Bool {
    guard let access else { return !reactor.hasDelegate }
    return !reactor.hasDelegate && access.webhook == nil && access.allows(.read, to: .service)
      && !access.isDeniedSome(of: reactor.name)
  }

  /// Rejects actions that the rules do not permit, if some rule is about actions with a name.
  func requireActions(_ body: [UInt8], _ reactor: String, _ id: String) throws(Problem) {
    guard let access, access.limitsActions else { return }
    for name in SessionAccess.act(body).actionNames {
      try require(.action(name), of: access, reactor, id)
    }
  }

  private func require(
    _ use: Grants.Use, of access: Authentication, _ reactor: String, _ id: String
  ) throws(Problem) {
    let target = Grants.Target.session(reactor: reactor, id: id)
    guard !access.allows(.act, to: target, for: use) else { return }
    throw denial(of: .act, to: target, for: use, access)
  }

  /// Returns whether the credential still has the right to read a session; asks no delegate.
  func mayStillRead(_ id: String, of reactor: any HostedReactor) -> Bool {
    guard let access else { return true }
    return access.allows(.read, to: .session(reactor: reactor.name, id: id))
      && isKnownToRead(reactor.name, id) == true
  }

  /// Returns whether the webhook permits that the client reads a session, or `nil` if it is not known; `true` without a
  /// webhook.
  func isKnownToRead(_ reactor: String, _ id: String) -> Bool? {
    guard let access, let webhook = access.webhook else { return true }
    guard let question = AccessQuestion(access.principal, .read, reactor, id) else { return false }
    let now = ReactorAPI.now
    if case .decided(let isAllowed, let until)? = decision.answer(question.digest), until > now {
      return isAllowed
    }
    return webhook.known(question, at: now)
  }

  /// Returns the preferences for a response that was pending: without the State if the right to read it was
  /// withdrawn meanwhile, or the decision of the webhook has ended.
  func current(_ preferences: Preferences) -> Preferences {
    guard !preferences.omitsState, let known = credential.authentication,
      api.authenticator?.isCurrent(known) == false || known.webhook != nil,
      resource?.reach == .session,
      let reactor = api.host.reactor(self["reactor"])
    else { return preferences }
    var preferences = preferences
    preferences.hidesState = !mayStillRead(self["session"], of: reactor)
    return preferences
  }

  /// Returns whether the request may read a session, for lists.
  ///
  /// A session is not listed if its delegate needs the State, and the session is not in memory; or if the webhook has
  /// not decided on it before.
  func mayList(_ id: String, of reactor: any HostedReactor) -> Bool {
    guard mayStillRead(id, of: reactor) else { return false }
    let isPermitted = (try? askOwnDelegate(.read, reactor, id)) != nil
    _ = decision.takeMissing()
    return isPermitted
  }

  /// Returns whether the request may read a session.
  ///
  /// - Throws: If the decision needs the State, or the webhook has not decided: the request begins again then.
  func mayRead(_ id: String, of reactor: any HostedReactor) throws(Problem) -> Bool {
    do throws(Problem) {
      try require(.read, .read, reactor, id)
      return true
    } catch {
      guard decision.isMissing || decision.isWaiting || error.kind == .unavailable else {
        return false
      }
      throw error
    }
  }

  /// Returns whether the request may see what a reactor hides from clients: all if it is not projected.
  func mayInspect(_ reactor: any HostedReactor, _ id: String?) -> Bool {
    guard reactor.projector != nil, let access else { return true }
    return access.allows(
      .inspect,
      to: id.map { .session(reactor: reactor.name, id: $0) } ?? .reactor(reactor.name))
  }

  /// Rejects a request that may not see what a reactor hides from clients.
  func requireInspection(of reactor: any HostedReactor, _ id: String?) throws(Problem) {
    guard let access, !mayInspect(reactor, id) else { return }
    throw denial(
      of: .inspect,
      to: id.map { .session(reactor: reactor.name, id: $0) } ?? .reactor(reactor.name), access)
  }

  /// Rejects a client that sees nothing of the current State of a session whose earlier States it reads.
  func requireCurrentView(
    of history: any HistorySource, _ reactor: any HostedReactor, _ id: String
  ) throws(Problem) {
    guard reactor.projector != nil else { return }
    guard let session = history as? any Session else {
      throw Problem(
        .sessionUnreadable,
        "This release cannot read the State of the session, in which its audiences are.")
    }
    _ = try visible(session.current, of: reactor, id, session.parameters)
  }

  /// Rejects a request without a right to a session that its body names.
  func require(
    _ right: Right, _ access: SessionAccess, _ reactor: any HostedReactor, _ id: String,
    parameters: [UInt8]? = nil
  ) throws(Problem) {
    let target = Grants.Target.session(reactor: reactor.name, id: id)
    if let authentication = self.access, !authentication.allows(right, to: target) {
      throw denial(of: right, to: target, authentication)
    }
    try askDelegate(access, reactor, id, parameters: parameters)
  }

  /// Requests the permission of the webhook, and then that of the reactor's delegate, whose decision is final.
  func askDelegate(
    _ access: SessionAccess, _ reactor: any HostedReactor, _ id: String,
    parameters: [UInt8]? = nil
  ) throws(Problem) {
    if self.access?.webhook != nil {
      try askWebhook(access.right, reactor.name, id, access.actionNames)
    }
    try askOwnDelegate(access, reactor, id, parameters: parameters)
  }

  /// Requests the permission of the webhook.
  ///
  /// - Throws: If it denies the request, or has not decided: the request begins again when it has.
  func askWebhook(
    _ right: Right, _ reactor: String, _ id: String, _ actions: [String] = []
  ) throws(Problem) {
    guard let access, let webhook = access.webhook else { return }
    guard let question = AccessQuestion(access.principal, right, reactor, id, actions: actions)
    else {
      throw .forbidden(
        right,
        "The question to the webhook would have more than \(AccessQuestion.sizeLimit) bytes.")
    }
    let now = ReactorAPI.now
    let answer =
      decision.answer(question.digest)
      ?? webhook.decision(on: question, endingAfter: now, at: now, for: head.account)
    switch answer {
    case .decided(isAllowed: true, _): return
    case .decided(isAllowed: false, _):
      throw access.isAuthenticated ? .forbidden(right) : .unauthorized(nil)
    case .pending(let pending): decision.wait(for: pending, question.digest)
    case .unavailable: break
    case .beyondShare(let limit): throw .questions(beyond: limit)
    }
    throw .unavailable(
      "The server that decides on requests (auth.webhook) does not respond. Nothing was executed.")
  }

  private func askOwnDelegate(
    _ access: SessionAccess, _ reactor: any HostedReactor, _ id: String,
    parameters: [UInt8]? = nil
  ) throws(Problem) {
    guard reactor.hasDelegate else { return }
    let key = SessionKey(reactor: reactor.name, id: id)
    do {
      try reactor.authorize(
        access, of: id, for: principal, parameters: parameters,
        knowing: decision.known(key))
    } catch is StateNotInMemory {
      decision.need(key)
      throw .forbidden(access.right)
    } catch let error as ActionDecodingError {
      throw Problem(error, kind: .invalidAction)
    } catch {
      if case .valid(let authentication, _) = credential, !authentication.isAuthenticated {
        throw .unauthorized(nil)
      }
      throw .forbidden(access.right, (error as? Forbidden)?.reason)
    }
  }
}

extension SessionAccess {
  /// The least right that the access needs.
  fileprivate var right: Right {
    switch self {
    case .read: .read
    case .signal: .signal
    case .act: .act
    case .create, .fork, .end, .manage: .manage
    }
  }

  /// The names of the actions, each once and sorted: the text of an action, or those of the members of its object.
  ///
  /// Actions that are not JSON have none, and are left to their decoder.
  fileprivate var actionNames: [String] {
    guard case .act(let body) = self, let root = (try? JSONDocument(parsing: body))?.root else {
      return []
    }
    let names = (root.elements ?? [root]).flatMap { action in
      let names = action.string.map { [$0] } ?? action.members?.map(\.name) ?? []
      return names.isEmpty ? [""] : names
    }
    return Set(names.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }.map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

extension Problem {
  /// Creates the problem of a client with its share of the requests to providers and to the webhook.
  static func questions(beyond limit: Int) -> Problem {
    .beyondShare(
      of: limit, "requests to providers and to the webhook without a response",
      "Nothing was executed.")
  }

  /// Creates the problem of a request without a credential or with a rejected one (RFC 6750, 3).
  static func unauthorized(_ failure: Authenticator.Failure?) -> Problem {
    if failure == .tooManyFailures {
      return Problem(
        .rateLimited,
        """
        At most \(Limits.failedAuthentications) credentials of an address may be rejected per second, and this \
        one was not checked. Try again later.
        """, headers: ["Retry-After": "1"])
    }
    if case .beyondShare(let limit)? = failure { return .questions(beyond: limit) }
    if failure == .unavailable {
      return .unavailable(
        "The provider of the token does not respond, so that it cannot be verified.")
    }
    guard let failure else {
      return Problem(
        .unauthorized, "Send Authorization: Bearer and a token that this service accepts.",
        headers: ["WWW-Authenticate": #"Bearer realm="reactord""#])
    }
    return Problem(
      .unauthorized, failure.sentence + ".",
      headers: [
        "WWW-Authenticate":
          """
        Bearer realm="reactord", error="invalid_token", error_description="\(failure.sentence)"
        """
      ])
  }

  /// Creates the problem of a request whose credential does not have the right.
  static func forbidden(_ right: Right, _ reason: String? = nil) -> Problem {
    Problem(
      .forbidden,
      reason ?? "The credential does not permit this. It needs the right to \(right.name).",
      headers: [
        "WWW-Authenticate":
          """
        Bearer realm="reactord", error="insufficient_scope", scope="reactord:\(right.name)"
        """
      ])
  }
}

internal import Identity
internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Shares
internal import Synchronization

/// A stream that ends when the credential of its request expires, or the webhook or a delegate withdraws its
/// permission.
///
/// Before each output, the stream checks that the credential and the decision of the webhook have not expired. After a
/// change of the configuration, it also checks that the credential is still valid and has the right, and that the
/// delegates of the reactors permit the stream. If not, the stream sends `event: expired` and ends:
/// nothing that was committed later is sent. It asks the webhook again before its decision ends, and sends nothing from
/// then on until it is renewed.
final class GuardedStream: ByteStream {
  /// The requirements of a stream: a right to its targets, and the permission of delegates.
  struct Requirement: Sendable {
    let right: Right
    let targets: [Grants.Target]
    /// Whether an authentication suffices for a stream that checks each session by itself.
    var suffices: (@Sendable (Authentication) -> Bool)?
    /// Whether a session is projected: what its stream shows depends on the principal.
    var isProjected = false
    /// The sessions whose reactors have a delegate.
    let delegated: [(reactor: any HostedReactor, id: String, known: FoundSession?)]

    /// Returns the decision of a webhook on all targets, until the earliest end of one.
    ///
    /// Sends all questions that have no decision, so that their decisions are valid at the same time.
    func decision(
      of webhook: any AccessWebhook, on principal: Principal?, endingAfter time: Int64,
      at now: Int64, for account: Account?
    ) -> AccessDecision {
      var end = Int64.max
      var undecided: AccessDecision?
      for case .session(let reactor, let id) in targets {
        guard let question = AccessQuestion(principal, right, reactor, id) else {
          return .decided(isAllowed: false, until: now)
        }
        let decision = webhook.decision(
          on: question, endingAfter: time, at: now, for: account)
        switch decision {
        case .decided(isAllowed: true, let until): end = min(end, until)
        case .decided(isAllowed: false, _): return decision
        case .pending, .unavailable, .beyondShare: undecided = undecided ?? decision
        }
      }
      return undecided ?? .decided(isAllowed: true, until: end)
    }

    func isMet(by authentication: Authentication) -> Bool {
      targets.allSatisfy { authentication.allows(right, to: $0) }
        && suffices?(authentication) ?? true
    }

    /// Whether a projection shows two principals the same: only what each new token of a user has may differ.
    func showsSame(to one: Principal?, _ other: Principal?) -> Bool {
      !isProjected || one?.lasting == other?.lasting
    }

    /// Whether the delegates permit that a principal reads the sessions.
    func isPermitted(to principal: Principal?) -> Bool {
      delegated.allSatisfy { reactor, id, known in
        (try? reactor.authorize(
          .read, of: id, for: principal, parameters: nil, knowing: known)) != nil
      }
    }
  }

  private struct State {
    var authentication: Authentication?
    /// When the credential expires, in seconds since 1970.
    var expiry: Int64?
    /// When the decision of the webhook ends, and when the stream asks again.
    var decision = (until: Int64.min, askAt: Int64.min)
    /// The question whose response wakes the stream, or `nil` for none.
    var question: PendingAccess?
    /// The time at which the stream is woken, or `nil` for none.
    var wakesAt: Int64?
    var changeCount: UInt64
    var isFinished = false

    /// When to wake the stream, or `nil` for never.
    var nextWake: Int64? {
      guard !isFinished else { return nil }
      guard authentication?.webhook != nil, question == nil else { return expiry }
      return min(expiry ?? .max, decision.askAt)
    }

    /// Whether the webhook has to decide before the next output.
    func isUndecided(at now: Int64) -> Bool {
      authentication?.webhook != nil && now >= decision.until
    }
    /// The number of times that the credential was replaced.
    var replacements = 0
  }

  let requirement: Requirement
  /// The id for a replacement of the credential, or `nil` for a stream without a principal.
  let id: StreamID?
  private let stream: any ByteStream
  private let authenticator: Authenticator?
  private let expiries: StreamExpiries
  private let account: Account?
  private let expired: StreamChunk
  private let replaced: @Sendable (Authentication) -> Void
  private let ended: @Sendable (StreamID) -> Void
  private let state: Mutex<State>
  /// Woken when the credential expires, or was replaced.
  private let own = StreamGroup()
  let groups: [StreamGroup]

  /// Guards a stream.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - authentication: The credential of its request, or `nil` if every client has every right.
  ///   - requirement: The rights and permissions that the stream needs while it is open.
  ///   - authenticator: Validates the credential again.
  ///   - expiries: Wakes the stream.
  ///   - account: The account of the client's address, which questions to the webhook are counted for.
  ///   - expired: The last output.
  ///   - replaced: Called with the credential that replaces another one.
  ///   - ended: Called when the stream has ended.
  init(
    _ stream: any ByteStream, of authentication: Authentication?,
    needing requirement: Requirement, _ authenticator: Authenticator?, _ expiries: StreamExpiries,
    for account: Account? = nil, expired: [UInt8],
    replaced: @escaping @Sendable (Authentication) -> Void,
    ended: @escaping @Sendable (StreamID) -> Void
  ) {
    self.stream = stream
    self.requirement = requirement
    self.authenticator = authenticator
    self.expiries = expiries
    self.account = account
    self.expired = StreamChunk(expired)
    (self.replaced, self.ended) = (replaced, ended)
    // `.max` differs from every count: the first output checks an authentication of an earlier
    // configuration.
    var changeCount = expiries.changeCount
    if let authentication, authenticator?.isCurrent(authentication) != true { changeCount = .max }
    let expiry = authentication?.expiry
    state = Mutex(
      State(
        authentication: authentication, expiry: expiry, wakesAt: expiry, changeCount: changeCount))
    id = authentication?.principal == nil ? nil : StreamID()
    groups = stream.groups + [expiries.changed] + (authentication == nil ? [] : [own])
    if let expiry { expiries.join(expiry, own) }
  }

  /// Whether the stream is open, and that of a principal.
  func isOpen(for principal: Principal?) -> Bool {
    let state = state.withLock { $0 }
    guard !state.isFinished, let own = state.authentication?.principal, let principal else {
      return false
    }
    return own.id.utf8.elementsEqual(principal.id.utf8)
  }

  /// Replaces the credential by another one of the same principal.
  ///
  /// - Returns: `false` if the other one does not have the rights that the stream needs; the stream is as before then.
  func replace(_ authentication: Authentication) -> Bool {
    guard requirement.isMet(by: authentication),
      requirement.isPermitted(to: authentication.principal)
    else { return false }
    let isReplaced = state.withLock { state in
      guard !state.isFinished else { return false }
      // The audience of a projected session was decided for this principal: another one opens a stream.
      guard requirement.showsSame(to: authentication.principal, state.authentication?.principal)
      else { return false }
      (state.authentication, state.expiry) = (authentication, authentication.expiry)
      state.decision = (.min, .min)
      wake(&state, at: state.expiry)
      state.replacements += 1
      // The configuration may have been replaced since this request arrived: check again.
      state.changeCount = .max
      return true
    }
    guard isReplaced else { return false }
    replaced(authentication)
    own.wake()
    return true
  }

  func next() -> StreamOutput {
    while true {
      let known = state.withLock { $0 }
      guard !known.isFinished else { return .finished }
      // Check without the lock, since delegates are called. Only one thread at a time pulls a stream.
      let now = expiries.now() / 1000
      let next = renewed(known, at: now)
      let isDecided = state.withLock { state in
        guard state.replacements == known.replacements else { return false }
        // It may have been closed meanwhile.
        guard !state.isFinished else { return true }
        state = next
        wake(&state, at: next.nextWake)
        return true
      }
      guard isDecided else { continue }
      if next.isFinished { return .chunk(expired) }
      return next.isUndecided(at: now) ? .idle : stream.next()
    }
  }

  /// Wakes the stream at another time than before.
  private func wake(_ state: inout State, at time: Int64?) {
    guard state.wakesAt != time else { return }
    if let former = state.wakesAt { expiries.leave(former, own) }
    state.wakesAt = time
    if let time { expiries.join(time, own) }
  }

  /// Returns the state after a check; it is finished if the stream must end.
  private func renewed(_ known: State, at now: Int64) -> State {
    var state = known
    if let expiry = known.expiry, now >= expiry { state.isFinished = true }
    let changeCount = expiries.changeCount
    if !state.isFinished, state.changeCount != changeCount {
      state.changeCount = changeCount
      checkConfiguration(&state, at: now)
    }
    if !state.isFinished, now >= state.decision.askAt { askWebhook(&state, at: now) }
    return state
  }

  /// Asks the webhook, if there is one.
  private func askWebhook(_ state: inout State, at now: Int64) {
    guard let authentication = state.authentication, let webhook = authentication.webhook else {
      return
    }
    // A decision that ends later, so that the stream continues without a pause.
    let decision = requirement.decision(
      of: webhook, on: authentication.principal, endingAfter: max(now, state.decision.until),
      at: now, for: account)
    let asked = state.question.take()
    switch decision {
    case .decided(isAllowed: true, let until):
      let lead = max(1, min(5, (until - now) / 5))
      state.decision = (until, max(now + 1, until - lead))
    case .decided(isAllowed: false, _): state.isFinished = true
    case .pending(let question):
      state.question = question
      guard question !== asked else { return }
      Task { [own] in
        _ = await question.decision()
        own.wake()
      }
    case .unavailable, .beyondShare:
      // A client that the webhook has let in stays until the decision ends, and none is let in without one.
      if state.isUndecided(at: now) { state.isFinished = true }
      state.decision.askAt = now + 1
    }
  }

  /// Checks the credential and the delegates after a change of the configuration.
  private func checkConfiguration(_ state: inout State, at now: Int64) {
    if let authenticator, let authentication = state.authentication {
      guard let fresh = authenticator.refresh(authentication, at: now),
        requirement.isMet(by: fresh),
        requirement.showsSame(to: fresh.principal, authentication.principal)
      else {
        state.isFinished = true
        return
      }
      if fresh.webhook !== authentication.webhook { state.decision = (.min, .min) }
      // The leeway may be another one.
      (state.authentication, state.expiry) = (fresh, fresh.expiry)
    }
    state.isFinished = !requirement.isPermitted(to: state.authentication?.principal)
  }

  var heartbeat: StreamChunk? { stream.heartbeat }

  var retainedBytes: Int { stream.retainedBytes }

  func closed() {
    state.withLock { state in
      state.isFinished = true
      wake(&state, at: nil)
    }
    if let id { ended(id) }
    stream.closed()
  }
}

extension Principal {
  /// The principal without what differs between two tokens of one login.
  fileprivate var lasting: Principal {
    let changing = ["exp", "iat", "nbf", "jti", "auth_time"]
    return Principal(
      id: id,
      claims: Claims(
        distinct: claims.names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
          .compactMap { name in
            changing.contains(name) ? nil : claims[name].map { (name, $0) }
          }))
  }
}

extension ReactorAPI {
  /// Wraps a stream so that it ends when the credential of its request expires, or a delegate
  /// withdraws its permission.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - call: The request.
  ///   - names: The sessions of a stream of several sessions, whose events name their session.
  /// - Returns: The stream to send.
  func guarded(
    _ stream: any ByteStream, _ call: Call, _ names: [String]?
  ) -> any ByteStream {
    let authentication = call.scope.credential.authentication
    guard authentication != nil || hasDelegates, let resource = call.scope.resource,
      let right = resource.right(for: call.scope.method)
    else { return stream }
    let sessions = sessions(of: resource, call.request, call.scope)
    let targets: [Grants.Target] =
      switch resource.reach {
      case .session, .sessionsInQuery: sessions.map { .session(reactor: $0, id: $1) }
      case .reactor: [.reactor(call.scope["reactor"])]
      case .service: [.service]
      case .anything, .credential: []
      }
    let delegated: [(reactor: any HostedReactor, id: String, known: FoundSession?)] =
      sessions.compactMap { name, id in
        host.reactor(name).flatMap { reactor in
          guard reactor.hasDelegate else { return nil }
          let key = SessionKey(reactor: name, id: id)
          return (reactor: reactor, id: id, known: call.scope.decision.known(key))
        }
      }
    guard authentication != nil || !delegated.isEmpty else { return stream }
    var requirement = GuardedStream.Requirement(
      right: right, targets: targets, delegated: delegated)
    requirement.isProjected =
      hasProjections && sessions.contains { host.reactor($0.reactor)?.projector != nil }
    if targets.isEmpty { requirement.suffices = { [self] in allowsAnything($0) } }
    let guarded = GuardedStream(
      stream, of: authentication, needing: requirement, authenticator, expiries,
      for: call.scope.head.account, expired: EventText.expired(of: names),
      replaced: { [scope = call.scope] in scope.replaceCredential(by: $0) },
      ended: { [openStreams] in openStreams.remove($0) })
    if let id = guarded.id { openStreams.add(guarded, id) }
    return guarded
  }
}

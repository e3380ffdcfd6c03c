internal import Identity
internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Synchronization

/// A stream that ends when the credential of its request expires, or a delegate withdraws its
/// permission.
///
/// Before each output, the stream checks that the credential has not expired. After a change of the
/// configuration, it also checks that the credential is still valid and has the right, and that the
/// delegates of the reactors permit the stream. If not, the stream sends `event: expired` and ends:
/// nothing that was committed later is sent.
final class GuardedStream: ByteStream {
  /// The requirements of a stream: a right to its targets, and the permission of delegates.
  struct Requirement: Sendable {
    let right: Right
    let targets: [Grants.Target]
    /// Whether an authentication suffices for a stream that checks each session by itself.
    var suffices: (@Sendable (Authentication) -> Bool)?
    /// The sessions whose reactors have a delegate.
    let delegated: [(reactor: any HostedReactor, id: String, known: FoundSession?)]

    func isMet(by authentication: Authentication) -> Bool {
      targets.allSatisfy { authentication.allows(right, to: $0) }
        && suffices?(authentication) ?? true
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
    var changeCount: UInt64
    var isFinished = false
  }

  private let stream: any ByteStream
  private let authenticator: Authenticator?
  private let expiries: StreamExpiries
  private let requirement: Requirement
  private let expired: StreamChunk
  private let state: Mutex<State>
  private let expiry: Int64?
  let groups: [StreamGroup]

  /// Guards a stream.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - authentication: The credential of its request, or `nil` if every client has every right.
  ///   - requirement: The rights and permissions that the stream needs while it is open.
  ///   - authenticator: Validates the credential again.
  ///   - expiries: Wakes the stream.
  ///   - expired: The last output.
  init(
    _ stream: any ByteStream, of authentication: Authentication?,
    needing requirement: Requirement, _ authenticator: Authenticator?, _ expiries: StreamExpiries,
    expired: [UInt8]
  ) {
    self.stream = stream
    self.requirement = requirement
    self.authenticator = authenticator
    self.expiries = expiries
    self.expired = StreamChunk(expired)
    // `.max` differs from every count: the first output checks an authentication of an earlier
    // configuration.
    var changeCount = expiries.changeCount
    if let authentication, authenticator?.isCurrent(authentication) != true { changeCount = .max }
    state = Mutex(State(authentication: authentication, changeCount: changeCount))
    expiry = authentication?.expiry
    groups = stream.groups + [expiries.changed] + (expiry.map { [expiries.join($0)] } ?? [])
  }

  func next() -> StreamOutput {
    let known = state.withLock { $0 }
    guard !known.isFinished else { return .finished }
    // Check without the lock, since delegates are called. Only one thread at a time pulls a stream.
    let next = renewed(known)
    state.withLock { $0 = next }
    return next.isFinished ? .chunk(expired) : stream.next()
  }

  /// Returns the state after a check; it is finished if the stream must end.
  private func renewed(_ known: State) -> State {
    var state = known
    let now = expiries.now() / 1000
    if let expiry, now >= expiry { state.isFinished = true }
    let changeCount = expiries.changeCount
    guard !state.isFinished, state.changeCount != changeCount else { return state }
    state.changeCount = changeCount
    if let authenticator, let authentication = known.authentication {
      guard let fresh = authenticator.refresh(authentication, at: now),
        requirement.isMet(by: fresh)
      else {
        state.isFinished = true
        return state
      }
      state.authentication = fresh
    }
    state.isFinished = !requirement.isPermitted(to: state.authentication?.principal)
    return state
  }

  var heartbeat: StreamChunk? { stream.heartbeat }

  func closed() {
    if let expiry { expiries.leave(expiry) }
    stream.closed()
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
    if targets.isEmpty { requirement.suffices = { [self] in allowsAnything($0) } }
    return GuardedStream(
      stream, of: authentication, needing: requirement, authenticator, expiries,
      expired: EventText.expired(of: names))
  }
}

internal import Identity
internal import ReactorLog
internal import ReactorTransport
internal import Synchronization

/// A stream that ends with the credential of its request.
///
/// Before each output it is checked that the credential has not expired, and after a change of the
/// configuration that it is still valid and has the right. If not, the stream sends `event: expired`
/// and ends: nothing that was committed later is sent.
final class GuardedStream: ByteStream {
  /// The needs of a stream: a right, and its targets.
  struct Requirement: Sendable {
    let right: Right
    let targets: [Grants.Target]

    func isMet(by authentication: Authentication) -> Bool {
      targets.allSatisfy { authentication.allows(right, to: $0) }
    }
  }

  private struct State {
    var authentication: Authentication
    var changeCount: UInt64
    var isFinished = false
  }

  private let stream: any ByteStream
  private let authenticator: Authenticator
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
  ///   - authentication: The credential of its request.
  ///   - requirement: The rights that the stream needs as long as it is open.
  ///   - authenticator: Knows whether the credential is still valid.
  ///   - expiries: Wakes the stream.
  ///   - expired: The last output.
  init(
    _ stream: any ByteStream, of authentication: Authentication, needing requirement: Requirement,
    _ authenticator: Authenticator, _ expiries: StreamExpiries, expired: [UInt8]
  ) {
    self.stream = stream
    self.requirement = requirement
    self.authenticator = authenticator
    self.expiries = expiries
    self.expired = StreamChunk(expired)
    // An authentication of an earlier configuration is checked by the first output.
    var changeCount = expiries.changeCount
    if !authenticator.isCurrent(authentication) { changeCount = .max }
    state = Mutex(State(authentication: authentication, changeCount: changeCount))
    groups =
      stream.groups + [expiries.changed] + (authentication.expiry.map { [expiries.join($0)] } ?? [])
    expiry = authentication.expiry
  }

  func next() -> StreamOutput {
    let isOpen: Bool? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.isFinished = !isValid(&state)
      return !state.isFinished
    }
    switch isOpen {
    case true?: return stream.next()
    case false?: return .chunk(expired)
    case nil: return .finished
    }
  }

  private func isValid(_ state: inout State) -> Bool {
    let now = Timestamp.now.milliseconds / 1000
    if let expiry, now >= expiry { return false }
    let changeCount = expiries.changeCount
    guard state.changeCount != changeCount else { return true }
    guard let fresh = authenticator.refresh(state.authentication, at: now),
      requirement.isMet(by: fresh)
    else { return false }
    (state.authentication, state.changeCount) = (fresh, changeCount)
    return true
  }

  var heartbeat: StreamChunk? { stream.heartbeat }

  func closed() {
    if let expiry { expiries.leave(expiry) }
    stream.closed()
  }
}

extension ReactorAPI {
  /// A stream that ends with the credential of its request, if there is one.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - call: The request.
  ///   - names: The sessions of a stream of several, whose events name their session.
  /// - Returns: The stream to send.
  func guarded(
    _ stream: any ByteStream, _ call: Call, _ names: [String]?
  ) -> any ByteStream {
    guard let authenticator, let authentication = call.scope.credential.authentication,
      let resource = call.scope.resource, let right = resource.right(for: call.scope.method)
    else { return stream }
    let targets: [Grants.Target] =
      switch resource.reach {
      case .session, .sessionsInQuery:
        sessions(of: resource, call.request, call.scope).map { .session(reactor: $0, id: $1) }
      case .reactor: [.reactor(call.scope["reactor"])]
      case .service: [.service]
      case .anything, .credential: []
      }
    return GuardedStream(
      stream, of: authentication, needing: .init(right: right, targets: targets), authenticator,
      expiries, expired: EventText.expired(of: names))
  }
}

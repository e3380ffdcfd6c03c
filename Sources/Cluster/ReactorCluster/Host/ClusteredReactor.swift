internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// A reactor whose sessions the nodes of a cluster share: those of this node directly, the others
/// through their owners.
final class ClusteredReactor: HostedReactor {
  let local: any LocalReactor
  private let node: ClusterNode

  init(_ local: any LocalReactor, node: ClusterNode) {
    self.local = local
    self.node = node
  }

  var name: String { local.name }
  var summary: String { local.summary }
  var examplePage: String? { local.examplePage }
  var description: ReactorDescription { local.description }
  var hasDelegate: Bool { local.hasDelegate }
  var projector: StateProjector? { local.projector }
  var liveSessionCount: Int { local.liveSessionCount }
  var failedEffects: [FailedEffect] { local.failedEffects }

  func canDecode(action: [UInt8]) -> Bool { local.canDecode(action: action) }

  func storedFailures() throws(LogError) -> [StoredFailure] { try local.storedFailures() }

  func authorize(
    _ access: SessionAccess, of id: String, for principal: Principal?, parameters: [UInt8]?,
    knowing known: FoundSession?
  ) throws {
    try local.authorize(
      access, of: id, for: principal, parameters: parameters, knowing: known)
  }

  func normalize(parameters: [UInt8]) throws(ActionDecodingError) -> [UInt8] {
    try local.normalize(parameters: parameters)
  }

  // MARK: Sessions

  var isQuarantined: Bool { local.isQuarantined }

  func liveSession(_ id: String) -> (any Session)? {
    // A node that is cut off from the store does not know whether it still owns the session.
    guard let session = local.liveSession(id), node.bus.hasQuorum else { return nil }
    node.uses.recordUse(of: id, reactor: name)
    return session
  }

  func session(
    _ id: String, for intent: SessionIntent, parameters: [UInt8]?,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    guard liveSession(id) == nil else {
      return local.session(id, for: intent, parameters: parameters, completion: completion)
    }
    call(.open(intent, parameters: parameters), id, completion: completion)
  }

  func findSession(
    _ id: String, completion: @escaping @Sendable (Result<FoundSession, SessionError>) -> Void
  ) {
    if let session = liveSession(id) { return completion(.success(.open(session))) }
    node.call(.find, of: key(id)) { [self] result in
      switch result {
      case .success(.opened(let image, _), let owner):
        open(id, image, at: owner) { completion(.success(.open($0))) }
      case .success(.absent(let state), _): completion(.success(.absent(state)))
      default: completion(.failure(result.sessionError))
      }
    }
  }

  /// Opens the session at its owner, which creates it in memory if it does not exist: a source without a
  /// session would not notice its creation at another node.
  func streamSource(
    _ id: String, completion: @escaping @Sendable (Result<any SessionSource, SessionError>) -> Void
  ) {
    session(id, for: .use, parameters: nil) { result in completion(result.map { $0.session }) }
  }

  func forward(
    to id: String, _ body: [UInt8], ifAt expected: [Cursor]?, key: String?,
    for context: RequestContext?, accepted: @escaping @Sendable (CommittedState) -> Void,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) -> Bool {
    let target = self.key(id)
    guard !node.owns(target) else { return false }
    let submission = Submission(
      body: body, expected: expected,
      key: key.map { IdempotencyKey($0, of: context?.keyOwner, for: body) },
      context: context)
    if let session = node.remoteSession(target) {
      // Submit through the remote session: its streams at this node show the new State before the
      // response is sent.
      session.submit(submission, accepted: accepted, enqueued: nil, completion: completion)
    } else {
      node.submit(submission, to: target, accepted: accepted, completion: completion)
    }
    return true
  }

  func fork(
    _ source: String, at version: Int?, to id: String, parameters: [UInt8]?,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    let call = SessionCall.fork(version: version, to: id, parameters: parameters)
    node.call(call, of: key(source)) { [self] result in
      guard case .success(.opened(let image, let wasCreated), let owner) = result else {
        return completion(.failure(result.sessionError))
      }
      open(id, image, at: owner) {
        completion(.success(OpenedSession(session: $0, wasCreated: wasCreated)))
      }
    }
  }

  func endSession(
    _ id: String, completion: @escaping @Sendable (Result<Void, SessionError>) -> Void
  ) {
    guard liveSession(id) == nil else { return local.endSession(id, completion: completion) }
    node.call(.end, of: key(id)) { result in
      if case .success(.done, _) = result {
        completion(.success(()))
      } else {
        completion(.failure(result.sessionError))
      }
    }
  }

  private func key(_ id: String) -> SessionKey { SessionKey(reactor: name, id: id) }

  private func call(
    _ call: SessionCall, _ id: String,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    node.call(call, of: key(id)) { [self] result in
      guard case .success(.opened(let image, let wasCreated), let owner) = result else {
        return completion(.failure(result.sessionError))
      }
      open(id, image, at: owner) {
        completion(.success(OpenedSession(session: $0, wasCreated: wasCreated)))
      }
    }
  }

  /// Completes with a session that its owner has opened, which is this node or another one.
  ///
  /// A session of this node is requested from the local reactor again, so that requests that
  /// already wait for it are executed first.
  private func open(
    _ id: String, _ image: SessionImage, at owner: NodeID,
    completion: @escaping @Sendable (any Session) -> Void
  ) {
    let key = key(id)
    guard owner.name == node.node.name else {
      return completion(node.remoteSession(key, image, of: owner))
    }
    local.session(id, for: .use, parameters: nil) { [node] result in
      if case .success(let opened) = result { return completion(opened.session) }
      completion(node.remoteSession(key, image, of: owner))
    }
  }

  // MARK: Lists and the log

  func sessions(
    after id: String?, limit: Int
  ) async throws(SessionError) -> [SessionSummary] {
    let listed = try await local.sessions(after: id, limit: limit)
    let live = await node.summaries(of: name, after: id, limit: limit)
    let name = node.node.name
    let own = listed.map { node.isInMemory(key($0.id)) ? $0.at(name) : $0 }
    return Array(SessionSummary.merge(own, live).sorted { $0.id < $1.id }.prefix(limit))
  }

  func storedState(_ id: String, at cursor: Cursor) async throws(LogError) -> [UInt8]? {
    try await local.storedState(id, at: cursor)
  }

  func storedHistory(_ id: String) throws(LogError) -> (any HistorySource)? {
    try local.storedHistory(id)
  }

  func refold(_ id: String) throws(LogError) -> RefoldReport {
    try local.refold(id)
  }

  func sweep() {
    local.sweep()
    node.sweepRemoteSessions()
  }

  func relieveMemory() {
    local.relieveMemory()
  }
}

extension RemoteResult {
  /// The error of a call that opens or uses a session.
  var sessionError: SessionError {
    switch self {
    case .success(.failed(let error), _): error
    case .failure(let error): .log(error)
    case .success: .log(.unavailable("The session cannot be opened at its owner."))
    }
  }
}

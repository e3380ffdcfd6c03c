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
    _ id: String, for intent: SessionIntent, parameters: [UInt8]?
  ) async throws(SessionError) -> OpenedSession {
    guard liveSession(id) == nil else {
      return try await local.session(id, for: intent, parameters: parameters)
    }
    return try await open(id, by: .open(intent, parameters: parameters), at: id)
  }

  func findSession(_ id: String) async throws(SessionError) -> FoundSession {
    if let session = liveSession(id) { return .open(session) }
    let result = await node.call(.find, of: key(id))
    switch result {
    case .success(.opened(let image, _), let owner):
      return .open(await open(id, image, at: owner))
    case .success(.absent(let state), _): return .absent(state)
    default: throw result.sessionError
    }
  }

  /// Opens the session at its owner, which creates it in memory if it does not exist: a source without a
  /// session would not notice its creation at another node.
  func streamSource(_ id: String) async throws(SessionError) -> any SessionSource {
    try await session(id, for: .use).session
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
    _ source: String, at version: Int?, to id: String, parameters: [UInt8]?
  ) async throws(SessionError) -> OpenedSession {
    try await open(id, by: .fork(version: version, to: id, parameters: parameters), at: source)
  }

  func endSession(_ id: String) async throws(SessionError) {
    guard liveSession(id) == nil else { return try await local.endSession(id) }
    let result = await node.call(.end, of: key(id))
    guard case .success(.done, _) = result else { throw result.sessionError }
  }

  private func key(_ id: String) -> SessionKey { SessionKey(reactor: name, id: id) }

  /// Opens a session by a call of the owner of a session.
  private func open(
    _ id: String, by call: SessionCall, at target: String
  ) async throws(SessionError) -> OpenedSession {
    let result = await node.call(call, of: key(target))
    guard case .success(.opened(let image, let wasCreated), let owner) = result else {
      throw result.sessionError
    }
    return OpenedSession(session: await open(id, image, at: owner), wasCreated: wasCreated)
  }

  /// Returns a session that its owner has opened, which is this node or another one.
  ///
  /// A session of this node is requested from the local reactor again, so that requests that
  /// already wait for it are executed first.
  private func open(_ id: String, _ image: SessionImage, at owner: NodeID) async -> any Session {
    if owner.name == node.node.name, let opened = try? await local.session(id, for: .use) {
      return opened.session
    }
    return node.remoteSession(key(id), image, of: owner)
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

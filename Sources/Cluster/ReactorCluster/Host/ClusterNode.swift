internal import Dispatch
package import ReactorHost
internal import ReactorLog
internal import Shares
internal import Synchronization
internal import Telemetry

/// This process as a node of a cluster: executes the effects of ``ClusterMachine`` over a bus and a
/// host.
///
/// ```swift
/// let node = ClusterNode(named: "n1", bus: bus)
/// let host = Host(reactors, log: log, router: node)
/// node.start(host)
/// ```
///
/// A session in this node's memory is used directly; only requests for other sessions use the
/// machine and its lock.
package final class ClusterNode: Sendable {
  struct State {
    var machine: ClusterMachine
    var clients: [RequestToken: @Sendable (RequestResult) -> Void] = [:]
    var replies: [ReplyToken: @Sendable ([UInt8]) -> Void] = [:]
    /// The callers that wait until the other nodes have applied a global which this node has set.
    var changes: [ChangeToken: CheckedContinuation<Void, Never>] = [:]
    var lastToken: UInt64 = 0
    var subscriptions = SubscriptionTable()
    var subscribed = SubscribedNodes()
    /// The sessions of other nodes that clients of this one use.
    var remotes: [SessionKey: WeakSession] = [:]
    /// The sessions of this node that others are subscribed to.
    var feeds: [SessionKey: RemoteFeed] = [:]
    var nextDigest: Milliseconds = 0
    /// When the sessions in memory are compared with the store next, if a process cannot be reached; `.max` during
    /// a comparison.
    var nextComparison: Milliseconds = 0
    var ticker: Task<Void, Never>?
    var differences = NodeDifferences()
    var gone = GoneNodes()
    /// The earlier incarnations of this process.
    var formerIncarnations: Set<UInt64> = []
    var reminders = ClaimReminders()
    /// The sessions that this node is about to load and that another node wrote last.
    var foreign: Set<SessionKey> = []

    mutating func newToken() -> UInt64 {
      lastToken += 1
      return lastToken
    }

    /// Removes and returns the receiver of an effect, or returns `nil` if the effect has none, or its request
    /// has a response already.
    fileprivate mutating func takeReceiver(of effect: ClusterEffect) -> Receiver? {
      switch effect {
      case .reply(let token, _): replies.removeValue(forKey: token).map { .edge($0) }
      case .respond(let token, _): clients.removeValue(forKey: token).map { .client($0) }
      default: nil
      }
    }

    /// Returns whether a node is this process, in its current or an earlier incarnation.
    func isOwn(_ node: NodeID) -> Bool {
      node == machine.node
        || node.name == machine.node.name && formerIncarnations.contains(node.incarnation)
    }
  }

  /// The receiver of a reply or of a result.
  fileprivate enum Receiver {
    case edge(@Sendable ([UInt8]) -> Void)
    case client(@Sendable (RequestResult) -> Void)
  }

  /// A weak reference to a session, which its streams and requests retain.
  struct WeakSession {
    weak var session: RemoteSession?
  }

  private struct Hosted {
    weak var host: Host?
    var reactors: [String: any LocalReactor] = [:]
  }

  /// The intervals of ``ClusterMachine/tick(at:)`` without and with pending requests.
  ///
  /// The owner of a pending request may fail.
  private static let tickInterval = (
    idle: Duration.milliseconds(50), busy: Duration.milliseconds(20)
  )

  let bus: any ClusterBus
  let logger: Logger
  /// The release of the service.
  let release: String
  /// The other processes that the store confirms.
  let running: @Sendable () -> [NodeID]
  let state: Mutex<State>
  let acceptedRuns = AcceptedRuns()
  let uses = SessionUses()
  let counters = NodeCounters()
  private let hosted = Mutex(Hosted())
  /// Whether the log blocks the threads that read from it.
  private let readsBlock = Atomic<Bool>(false)
  let reads = WorkerPool(width: 64, named: "cluster-reads")
  private let start = ContinuousClock.now

  /// Creates a node that is about to join.
  ///
  /// - Parameters:
  ///   - name: The name of the node, unique in the cluster.
  ///   - bus: The connection to the other nodes.
  ///   - settings: The settings.
  ///   - release: The release of the service, for ``nodes()``.
  ///   - running: The other processes that the store confirms, whether the bus reaches them or not.
  ///   - logger: The log of the service.
  package init(
    named name: String, bus: any ClusterBus, settings: ClusterSettings = ClusterSettings(),
    release: String = "0", running: @escaping @Sendable () -> [NodeID] = { [] },
    logger: Logger = .silent
  ) {
    self.bus = bus
    self.running = running
    self.release = release
    self.logger = logger
    let id = NodeID(name: name, incarnation: .random(in: .min ... .max))
    let heartbeat = Heartbeat(node: id, state: .joining)
    state = Mutex(State(machine: ClusterMachine(heartbeat, settings: settings, at: 0)))
  }

  /// Joins the cluster, and begins to execute requests of other nodes.
  package func start(_ host: Host) {
    hosted.withLock { $0.host = host }
    readsBlock.store(host.readsFromDisk, ordering: .relaxed)
    describeReactors()
    bus.join(as: node, self)
    let ticker = Task { [weak self] in
      while !Task.isCancelled {
        self?.tick()
        let isBusy = self?.state.withLock { $0.machine.pendingCount > 0 } ?? false
        try? await Task.sleep(for: isBusy ? Self.tickInterval.busy : Self.tickInterval.idle)
      }
    }
    state.withLock { $0.ticker = ticker }
  }

  /// Waits until the node has joined the cluster, or the task is cancelled.
  package func joined() async {
    while readiness == .joining, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Adds a hash of each reactor's fingerprint to the heartbeat.
  private func describeReactors() {
    var fingerprints: [String: UInt64] = [:]
    for reactor in hostedReactors {
      var hash = FNV()
      hash.combine(reactor.fingerprint)
      fingerprints[reactor.name] = hash.value
    }
    state.withLock { $0.machine.setFingerprints(fingerprints) }
  }

  /// Sets the hash of the settings that must be equal on all nodes, at the start and after a reload.
  package func setConfiguration(_ hash: UInt64) {
    state.withLock { $0.machine.setConfiguration(hash) }
  }

  /// The nodes that differ from this one, and their differences.
  package var differences: [(node: NodeID, differences: [String])] {
    state.withLock { $0.differences.all }
  }

  /// This process.
  package var node: NodeID { state.withLock { $0.machine.node } }

  package var readiness: NodeState { state.withLock { $0.machine.state } }

  /// Whether the store confirms this node; otherwise it serves nothing from memory.
  package var isConfirmed: Bool { bus.hasQuorum }

  /// The ready nodes, this one included.
  package var readyNodes: [NodeID] { state.withLock { $0.machine.readyNodes } }

  /// Stops owning further sessions; other nodes take over those in memory with their next request.
  package func drain() {
    handle { $0.drain(at: $1) }
  }

  /// Hands all sessions over and leaves the cluster.
  ///
  /// Blocks until the log has an outcome for each batch, so that a session has one writer.
  ///
  /// - Parameter time: The maximum time to wait.
  package func leave(within time: Duration = .seconds(5)) {
    let closing = DispatchGroup()
    closeSessions(closing)
    _ = closing.wait(timeout: .now() + time / .seconds(1))
    handle { machine, _ in machine.leave() }
    state.withLock { $0.ticker.take() }?.cancel()
    bus.leave()
    hosted.withLock { $0.reactors = [:] }
    for change in state.withLock({ exchange(&$0.changes, with: [:]) }).values { change.resume() }
  }

  // MARK: Time

  var now: Milliseconds {
    let elapsed = (ContinuousClock.now - start).components
    return elapsed.seconds * 1_000 + elapsed.attoseconds / 1_000_000_000_000_000
  }

  private func tick() {
    handle { $0.tick(at: $1) }
    sendDigests()
    sendReminders()
    closeContinuedSessions()
  }

  // MARK: The machine

  /// Passes an event to the machine, and executes its effects without the lock.
  func handle(_ event: (inout ClusterMachine, Milliseconds) -> Void) {
    handleState { event(&$0.machine, $1) }
  }

  /// Passes an event to the machine together with a change of the state.
  ///
  /// The lock is acquired once for the event, the change and the receivers of the effects. Several
  /// threads acquire it for each request, and a thread that is preempted while it has the lock
  /// delays the others.
  func handleState(_ event: (inout State, Milliseconds) -> Void) {
    let now = now
    var effects: [ClusterEffect] = []
    var receivers: [Receiver?] = []
    state.withLock { state in
      event(&state, now)
      effects = state.machine.takeEffects()
      receivers = effects.map { state.takeReceiver(of: $0) }
    }
    guard readsBlock.load(ordering: .relaxed), effects.contains(where: mayRead) else {
      for (effect, receiver) in zip(effects, receivers) { execute(effect, for: receiver) }
      return
    }
    // Heartbeats and replies do not wait for the store.
    var reading: [ClusterEffect] = []
    for (effect, receiver) in zip(effects, receivers) {
      if mayRead(effect) { reading.append(effect) } else { execute(effect, for: receiver) }
    }
    read { [self, reading] in for effect in reading { execute(effect, for: nil) } }
  }

  /// Whether an effect may read from the store.
  private func mayRead(_ effect: ClusterEffect) -> Bool {
    switch effect {
    case .findLastWriter: true
    case .execute(_, let request), .handOver(_, let request): !isInMemory(request.session)
    default: false
    }
  }

  /// Calls a function that may read from the store: on a queue if that blocks, because threads of the bus and of
  /// requests must not be blocked.
  func read(_ body: @escaping @Sendable () -> Void) {
    if readsBlock.load(ordering: .relaxed) { reads.enqueue(body) } else { body() }
  }

  private func execute(_ effect: ClusterEffect, for receiver: Receiver?) {
    switch effect {
    case .broadcast(let heartbeat): bus.broadcast(NodeMessage.heartbeat(heartbeat).bytes)
    case .greet(let node, let heartbeat): send(.heartbeat(heartbeat), to: node)
    case .expel(let node): send(.expelled(node), to: node)
    case .reportUnreachable(let node): bus.broadcast(NodeMessage.unreachable(node).bytes)
    case .claim(let key): claim(key)
    case .request(let id, let target, let request, let timeout):
      self.request(request, id, to: target, within: timeout)
    case .reply(_, let reply): if case .edge(let send) = receiver { send(reply.bytes) }
    case .findLastWriter(let key): findLastWriter(of: key)
    case .execute(let id, let request): OwnerExecution(id, request, at: self).start()
    case .handOver(let id, let request): OwnerExecution(id, request, at: self).handOver()
    case .release(let key, let owner, let forced, let token):
      release(key, to: owner, forced: forced, token)
    case .respond(_, let result): if case .client(let respond) = receiver { respond(result) }
    case .nodeFailed(let node): didFail(node)
    case .applied(let token, let unconfirmed): didApply(token, unconfirmed)
    case .refreshGlobals: refreshGlobals()
    case .placementChanged: hosted.withLock { $0.host }?.ownershipDidChange()
    case .rejoin: rejoin()
    }
  }

  private func request(
    _ request: NodeRequest, _ id: CallID, to target: NodeID, within timeout: Milliseconds
  ) {
    if case .forward = request { counters.forwarded.add() }
    bus.request(request.bytes(from: node), to: target, within: .milliseconds(timeout)) {
      [weak self] result in
      let reply = result.flatMap { bytes in
        // Bytes of an unknown protocol: the request may have been executed.
        NodeReply(reading: bytes).map { .success($0) } ?? .failure(.timedOut)
      }
      self?.handle { $0.received(reply, of: id, at: $1) }
    }
  }

  private func reply(_ reply: NodeReply, to token: ReplyToken) {
    // Assigned in the closure instead of returned from it: the generic `withLock` would wrap a
    // returned function in a thunk.
    var send: (@Sendable ([UInt8]) -> Void)?
    state.withLock { send = $0.replies.removeValue(forKey: token) }
    send?(reply.bytes)
  }

  private func findLastWriter(of key: SessionKey) {
    guard let reactor = reactor(key.reactor) else {
      return handle { $0.foundLastWriter(.success(nil), of: key, at: $1) }
    }
    let result = Result { () throws(LogError) in try reactor.lastWriter(of: key.id) }
    noteWriter(result, of: key)
    handle { $0.foundLastWriter(result, of: key, at: $1) }
  }

  /// Records a session that another node wrote last, so that loading it is counted as a takeover.
  private func noteWriter(_ result: Result<NodeID?, LogError>, of key: SessionKey) {
    state.withLock { state in
      if case .success(let writer?) = result, writer.name != state.machine.node.name {
        state.foreign.insert(key)
      } else {
        state.foreign.remove(key)
      }
      // An entry remains if another node turns out to own the session: bound their number.
      if state.foreign.count > 10_000 { state.foreign = [key] }
    }
  }

  private func release(
    _ key: SessionKey, to owner: NodeID, forced: Bool, _ token: ReplyToken?
  ) {
    guard let reactor = reactor(key.reactor) else { return }
    guard forced else {
      if let token { reply(reactor.evict(key.id) ? .released : .ownedBy(node), to: token) }
      return
    }
    // Begins on this thread: requests that arrive later are displaced.
    Task.immediateDetached { [weak self] in
      await reactor.handOver(key.id, to: owner)
      if let token { self?.reply(.released, to: token) }
    }
  }

  /// Closes all sessions: the other nodes have marked this incarnation as failed.
  private func rejoin() {
    logger.warning("this node was suspected by the others and joins again", ["node": "\(node)"])
    counters.rejoins.add()
    closeSessions(nil)
    let id = NodeID(name: node.name, incarnation: .random(in: .min ... .max))
    state.withLock { _ = $0.formerIncarnations.insert($0.machine.node.incarnation) }
    // Join the bus before the machine has the new incarnation: a heartbeat must not announce
    // subjects without subscribers. Until then the machine begins no other rejoin, which would
    // replace the identity at the bus.
    bus.join(as: id, self)
    handle { $0.rejoin(as: id, at: $1) }
  }

  private func closeSessions(_ closing: DispatchGroup?) {
    for reactor in hostedReactors {
      var last: String?
      repeat {
        let ids = reactor.liveIDs(after: last, limit: 1_000)
        for id in ids {
          closing?.enter()
          Task.immediateDetached {
            await reactor.handOver(id, to: nil)
            closing?.leave()
          }
        }
        last = ids.last
      } while last != nil
    }
  }

  // MARK: Reactors

  /// The reactors of this process.
  var hostedReactors: [any LocalReactor] {
    hosted.withLock { Array($0.reactors.values) }
  }

  func reactor(_ name: String) -> (any LocalReactor)? {
    hosted.withLock { $0.reactors[name] }
  }

  func isInMemory(_ key: SessionKey) -> Bool {
    reactor(key.reactor)?.isInMemory(key.id) ?? false
  }

  /// Returns whether a session is in this node's memory.
  package func holds(_ key: SessionKey) -> Bool { isInMemory(key) }

  func add(_ reactor: any LocalReactor) {
    hosted.withLock { $0.reactors[reactor.name] = reactor }
  }

  var globals: [any RefreshableGlobal] {
    let host = hosted.withLock { $0.host }
    return host.map { $0.globals + $0.hidden }?.compactMap { $0 as? any RefreshableGlobal } ?? []
  }

  // MARK: Requests of this node's clients

  /// Executes a call at the owner of a session, for a client.
  func call(
    _ call: SessionCall, of key: SessionKey, by client: Client? = Account.current?.client,
    completion: @escaping @Sendable (RemoteResult) -> Void
  ) {
    guard bus.hasQuorum else {
      return completion(.failure(.unavailable("The cluster's store is not reachable.")))
    }
    let isInMemory = isInMemory(key)
    let (bytes, kind) = (SessionRequest(client: client, call: call).bytes, call.kind)
    handleState { state, now in
      let token = state.newToken()
      state.clients[token] = { completion(RemoteResult($0)) }
      state.machine.submit(
        bytes, for: key, kind: kind, token: token, isInMemory: isInMemory, at: now)
    }
  }

  /// Executes a call at the owner of a session, for the client of the task.
  func call(_ call: SessionCall, of key: SessionKey) async -> RemoteResult {
    await withCheckedContinuation { continuation in
      self.call(call, of: key) { continuation.resume(returning: $0) }
    }
  }
}

/// The response of a session's owner, or the reason why there is none.
enum RemoteResult: Sendable {
  case success(SessionReply, from: NodeID)
  case failure(LogError)

  init(_ result: RequestResult) {
    switch result {
    case .response(let bytes, let node):
      self =
        SessionReply(reading: bytes).map { .success($0, from: node) }
        ?? .failure(.unavailable("Another node has replied in a format of another release."))
    case .unavailable:
      self = .failure(.unavailable("No node could execute the request. Nothing was executed."))
    case .unknown: self = .failure(.unknown)
    }
  }
}

extension ClusterNode: SessionRouter {
  package func route(_ reactor: any LocalReactor) -> any HostedReactor {
    add(reactor)
    return ClusteredReactor(reactor, node: self)
  }

  package func owns(_ key: SessionKey) -> Bool {
    if isInMemory(key) { return true }
    let now = now
    return state.withLock { $0.machine.owner(of: key, at: now) == $0.machine.node }
  }

  package func submit(
    _ submission: Submission, to key: SessionKey,
    accepted: (@Sendable (CommittedState) -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) {
    RemoteExecution(submission, of: key, at: self, accepted: accepted, completion: completion)
      .start()
  }
}

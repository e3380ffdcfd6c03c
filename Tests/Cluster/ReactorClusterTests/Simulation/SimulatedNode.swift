import ReactorLog

@testable import ReactorCluster

/// One process: the machine, a host, and the glue between them.
final class SimulatedNode {
  unowned let simulation: Simulation
  let queue: EventQueue
  var machine: ClusterMachine
  var sessions: [SessionKey: SimulatedSession] = [:]
  var subscribed = SubscribedNodes()
  var subscriptions = SubscriptionTable()
  /// The value of the global that this node shows.
  private(set) var global = 0
  private(set) var isRunning = true
  private(set) var isPaused = false
  /// Whether the network of the node is cut.
  var isCut = false
  private var deferred: [() -> Void] = []
  private var clients: [RequestToken: (RequestResult) -> Void] = [:]
  private var replies: [ReplyToken: (NodeReply) -> Void] = [:]
  private var changes: [ChangeToken: (Int) -> Void] = [:]
  private var lastToken: UInt64 = 0
  private var lastCount = 0
  private var plannedTick: Milliseconds = .max

  init(_ id: NodeID, simulation: Simulation) {
    self.simulation = simulation
    queue = simulation.queue
    machine = ClusterMachine(
      Heartbeat(node: id, state: .joining), settings: simulation.settings.cluster,
      at: simulation.queue.now)
    planTick()
    planDigests()
  }

  func nextCount() -> Int {
    lastCount += 1
    return lastCount
  }

  static func encode(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func decode(_ bytes: [UInt8]) -> UInt64 {
    bytes.prefix(8).enumerated().reduce(0) { $0 | UInt64($1.element) << (8 * $1.offset) }
  }

  // MARK: The process

  /// Executes an event of the process: later if it is paused, never if it was killed.
  func perform(_ body: @escaping () -> Void) {
    guard isRunning else { return }
    guard !isPaused else { return deferred.append(body) }
    body()
  }

  func after(_ delay: Milliseconds, _ body: @escaping () -> Void) {
    queue.schedule(after: delay) { [self] in perform(body) }
  }

  func kill() {
    isRunning = false
    for reply in clients.values { reply(.unknown) }
    clients = [:]
    sessions = [:]
  }

  func pause() { isPaused = true }

  func resume() {
    isPaused = false
    let waiting = deferred
    deferred = []
    for body in waiting { perform(body) }
  }

  func read(_ key: SessionKey, completion: @escaping ([SimulatedLog.Message]) -> Void) {
    guard !isCut else {
      return after(100) { [self] in read(key, completion: completion) }
    }
    simulation.log.read(key) { [self] messages in perform { completion(messages) } }
  }

  // MARK: Time

  private func planTick() {
    let next = machine.nextDeadline
    guard next < plannedTick else { return }
    plannedTick = next
    after(next - queue.now) { [self] in
      guard plannedTick <= queue.now else { return }
      plannedTick = .max
      handle { $0.tick(at: queue.now) }
    }
  }

  private func planDigests() {
    after(Digest.interval) { [self] in
      let me = machine.node
      for (node, digest) in digests {
        simulation.send(from: self, to: node) { $0.received(digest, from: me) }
      }
      for key in subscriptions.tick(at: queue.now) { open(key) }
      planDigests()
    }
  }

  // MARK: Clients

  /// A client of this node sends an action; a session in memory executes it without the machine.
  func submit(
    _ payload: UInt64, to key: SessionKey, completion: @escaping (RequestResult) -> Void
  ) {
    lastToken += 1
    let token = lastToken
    clients[token] = completion
    guard let session = sessions[key] else { return forward(payload, to: key, token) }
    let item = SimulatedSession.Item(payload: payload, number: nil) { [self] result in
      switch result {
      case .response(let bytes): respond(token, .response(bytes, from: machine.node))
      case .displaced: forward(payload, to: key, token)
      case .unavailable, .unreadable: respond(token, .unavailable)
      case .unknown, .running: respond(token, .unknown)
      }
    }
    session.execute(item)
  }

  private func forward(_ payload: UInt64, to key: SessionKey, _ token: RequestToken) {
    handle {
      $0.submit(
        Self.encode(payload), for: key, kind: .action, token: token, isInMemory: false,
        at: queue.now)
    }
  }

  private func respond(_ token: RequestToken, _ result: RequestResult) {
    clients.removeValue(forKey: token)?(result)
  }

  // MARK: Effects

  /// Passes an event to the machine, and executes its effects.
  func handle(_ event: (inout ClusterMachine) -> Void) {
    event(&machine)
    for effect in machine.takeEffects() { execute(effect) }
    planTick()
  }

  private func execute(_ effect: ClusterEffect) {
    let me = machine.node
    if let name = effect.countedName { simulation.count(name) }
    switch effect {
    case .broadcast(let heartbeat):
      simulation.broadcast(from: self) { node in
        node.handle { $0.received(heartbeat, at: node.queue.now) }
      }
    case .greet(let other, let heartbeat):
      simulation.send(from: self, to: other) { node in
        node.handle { $0.received(heartbeat, at: node.queue.now) }
      }
    case .expel(let other):
      simulation.send(from: self, to: other) { node in node.handle { $0.expelled(other) } }
    case .reportUnreachable(let other):
      simulation.broadcast(from: self) { node in node.handle { $0.reportedUnreachable(other) } }
    case .claim(let key):
      simulation.broadcast(from: self) { node in
        let isInMemory = node.sessions[key] != nil
        node.handle { $0.claimed(key, by: me, isInMemory: isInMemory, at: node.queue.now) }
      }
    case .request(let id, let target, let request, let timeout):
      simulation.request(request, from: self, to: target, timeout: timeout) { [self] reply in
        handle { $0.received(reply, of: id, at: queue.now) }
      }
    case .reply(let token, let reply): replies.removeValue(forKey: token)?(reply)
    case .findLastWriter(let key):
      read(key) { [self] messages in
        handle { $0.foundLastWriter(.success(messages.last?.batch.writer), of: key, at: queue.now) }
      }
    case .execute(let id, let request): execute(request, id)
    case .handOver(let id, let request): handOver(request, id)
    case .release(let key, let owner, let forced, let token):
      release(key, to: owner, forced: forced, token)
    case .respond(let token, let result): respond(token, result)
    case .nodeFailed(let node):
      for key in subscribed.removeAll(of: node) where subscribed.has(key) {}
      for key in subscriptions.failed(node, at: queue.now) { open(key) }
    case .applied(let token, let unconfirmed): changes.removeValue(forKey: token)?(unconfirmed)
    case .refreshGlobals: refreshGlobal {}
    case .placementChanged: break
    case .rejoin: rejoin()
    }
  }

  private func rejoin() {
    for session in sessions.values.sorted(by: { $0.key.id < $1.key.id }) {
      session.release(to: nil, forced: true) { _ in }
    }
    let id = simulation.newIncarnation(of: machine.node.name)
    handle { $0.rejoin(as: id, at: queue.now) }
  }

  // MARK: The host

  private func execute(_ request: ForwardedRequest, _ id: ExecutionID) {
    let session = sessions[request.session] ?? SimulatedSession(request.session, node: self)
    sessions[request.session] = session
    let report: (ExecutionResult) -> Void = { [self] result in
      handle { $0.executed(id, result, at: queue.now) }
    }
    guard request.kind == .action else {
      let edge = request.number.edge
      return session.read { [self] version in
        guard let version else { return report(.displaced(by: nil)) }
        guard machine.isAlive(edge) else { return report(.unavailable) }
        let number = Self.decode(request.payload)
        if edge != machine.node { _ = subscribed.insert(edge, to: request.session, as: number) }
        report(.response(Self.encode(UInt64(version))))
      }
    }
    session.execute(
      .init(payload: Self.decode(request.payload), number: request.number, completion: report))
  }

  private func handOver(_ request: ForwardedRequest, _ id: ExecutionID) {
    let edge = request.number.edge
    guard let session = sessions[request.session] else {
      return handle { $0.executed(id, .displaced(by: edge), at: queue.now) }
    }
    session.release(to: edge, forced: false) { [self] isReleased in
      guard isReleased else { return execute(request, id) }
      simulation.count("hand-over")
      handle { $0.executed(id, .displaced(by: edge), at: queue.now) }
    }
  }

  private func release(
    _ key: SessionKey, to owner: NodeID, forced: Bool, _ token: ReplyToken?
  ) {
    @Sendable func nothing() {}
    let reply = token.flatMap { replies.removeValue(forKey: $0) }
    guard let session = sessions[key] else { return reply?(.released) ?? nothing() }
    session.release(to: owner, forced: forced) { [self] isReleased in
      reply?(isReleased ? .released : .ownedBy(machine.node))
    }
  }

  func didClose(_ session: SimulatedSession) {
    if sessions[session.key] === session { sessions[session.key] = nil }
    let (key, me) = (session.key, machine.node)
    for (node, number) in subscribed.removeAll(from: key) {
      simulation.send(from: self, to: node) { node in
        node.change(key) { $0.closed(number, by: me, isDeleted: false) }
      }
    }
  }

  func publish(_ key: SessionKey, after base: Int, to version: Int) {
    let me = machine.node
    for node in subscribed.committed(key, at: Cursor(epoch: "e", version: version)) {
      simulation.send(from: self, to: node) { node in
        if let removal = node.subscriptions.removal(of: key) {
          return node.sendUnsubscription(from: key, upTo: removal, to: me)
        }
        node.change(key) { $0.received(from: me, epoch: "e", after: base, to: version) }
      }
    }
  }

  // MARK: The bus

  func receive(
    _ request: NodeRequest, from sender: NodeID, reply: @escaping (NodeReply) -> Void
  ) {
    if case .applyGlobal = request {
      guard !simulation.settings.confirmsEarly else {
        refreshGlobal {}
        return reply(.applied)
      }
      return refreshGlobal { reply(.applied) }
    }
    lastToken += 1
    let token = lastToken
    replies[token] = reply
    let key: SessionKey? =
      switch request {
      case .forward(let request): request.session
      case .release(let key): key
      case .probe, .locate, .list, .applyGlobal, .describe: nil
      }
    let isInMemory = key.map { sessions[$0] != nil } ?? false
    // Move sessions at random, and more often than ``ClientAffinity`` does.
    let canMove = simulation.random.happens(25)
    handle {
      $0.received(
        request, isInMemory: isInMemory, canMove: canMove, reply: token, from: sender,
        at: queue.now)
    }
  }

  // MARK: The global

  /// A client of this node sets the global.
  ///
  /// - Parameter completion: Called with the value, the nodes that were known when it was stored, and the
  ///   number of those that have not confirmed it.
  func setGlobal(
    _ completion: @escaping (_ value: Int, _ others: Set<NodeID>, _ unconfirmed: Int) -> Void
  ) {
    guard !isCut else { return }
    simulation.log.setGlobal { [self] value in
      perform { [self] in
        global = max(global, value)
        lastToken += 1
        let others = Set(machine.membership.members.keys)
        changes[lastToken] = { completion(value, others, $0) }
        let token = lastToken
        handle { $0.didSet("theme", token: token) }
      }
    }
  }

  private func refreshGlobal(_ completion: @escaping () -> Void) {
    guard !isCut else { return after(100) { [self] in refreshGlobal(completion) } }
    simulation.log.readGlobal { [self] value in
      perform { [self] in
        global = max(global, value)
        completion()
      }
    }
  }

  // MARK: Subscriptions

  func subscribe(to key: SessionKey) {
    if subscriptions.insert(key) { open(key) }
  }

  func unsubscribe(from key: SessionKey) {
    guard let (owner, number) = subscriptions.remove(key) else { return }
    sendUnsubscription(from: key, upTo: number, to: owner)
  }

  private func sendUnsubscription(from key: SessionKey, upTo number: UInt64, to owner: NodeID) {
    simulation.count("unsubscription")
    let me = machine.node
    simulation.send(from: self, to: owner) { $0.subscribed.remove(me, from: key, upTo: number) }
  }

  private func open(_ key: SessionKey) {
    guard let number = subscriptions.beginOpening(key) else { return }
    lastToken += 1
    clients[lastToken] = { [self] result in
      guard case .response(let bytes, let owner) = result, isRunning else {
        subscriptions.change(key, at: queue.now) {
          $0.failedToOpen(number, at: queue.now)
          return .none
        }
        return after(RemoteSubscription.pause) { [self] in
          for key in subscriptions.tick(at: queue.now) { open(key) }
        }
      }
      let cursor = Cursor(epoch: "e", version: Int(Self.decode(bytes)))
      change(key) { $0.opened(number, by: owner, at: cursor) }
      if !subscriptions.has(key) { sendUnsubscription(from: key, upTo: number, to: owner) }
    }
    let token = lastToken
    handle {
      $0.submit(
        Self.encode(number), for: key, kind: .call, token: token, isInMemory: false,
        at: queue.now)
    }
  }

  /// The digests that are due; if they are not compared, each other node gets one.
  private var digests: [(node: NodeID, digest: Digest)] {
    guard !simulation.settings.comparesDigests else { return subscribed.takeDigests() }
    return simulation.nodes.map(\.machine.node).filter { $0 != machine.node }.map {
      ($0, Digest(changes: [], subscriptions: 0))
    }
  }

  /// The digest with which an owner shows that it is alive, and that nothing is missing.
  private func expectedDigest(from owner: NodeID) -> Digest {
    let hashes = simulation.keys.map { key in
      let opened = subscriptions.opened(key)
      return opened?.owner == owner ? Digest.hash(key, opened?.number ?? 0) : 0
    }
    return Digest(changes: [], subscriptions: hashes.reduce(0, ^))
  }

  private func change(
    _ key: SessionKey, _ body: (inout RemoteSubscription) -> RemoteSubscription.Action
  ) {
    let before = subscriptions.cursor(of: key)?.version ?? 0
    let action = subscriptions.change(key, at: queue.now, body)
    let after = subscriptions.cursor(of: key)?.version ?? 0
    if after < before { simulation.violations.append("a subscription went back to \(after)") }
    if action == .open { open(key) }
  }

  func received(_ digest: Digest, from owner: NodeID) {
    let digest = simulation.settings.comparesDigests ? digest : expectedDigest(from: owner)
    for key in subscriptions.received(digest, from: owner, at: queue.now) { open(key) }
  }
}

extension ClusterEffect {
  /// The name of an effect that the runs have to reach.
  fileprivate var countedName: String? {
    switch self {
    case .request(_, _, .forward, _): "forward"
    case .request(_, _, .release, _): "release"
    case .reply(_, .ownedBy): "redirection"
    case .reply(_, .released): "released"
    case .rejoin: "rejoin"
    case .expel: "expulsion"
    case .nodeFailed: "failure"
    default: nil
    }
  }
}

import ReactorCluster
import ReactorLog
import TestSupport

/// One run of several nodes over one log and one bus, in virtual time, determined by a seed.
final class Simulation {
  struct Settings {
    var cluster = ClusterSettings()
    var nodes = 3
    var sessions = 3
    var clients = 5
    var faults: Milliseconds = 8_000
    var quiet: Milliseconds = 20_000
    /// Settings of the fence.
    ///
    /// Values other than the defaults are deliberate errors, which the checks must find.
    var comparesMessageIDs = true
    var readsOnlyTheLast = false
    /// Whether the request numbers are committed with the mutations.
    var commitsNumbers = true
    /// Whether a node confirms a global before it has the value, a deliberate error.
    var confirmsEarly = false
    /// Whether digests are compared, which repairs subscriptions whose messages were lost.
    var comparesDigests = true
  }

  let settings: Settings
  let queue = EventQueue()
  let log: SimulatedLog
  var random: SplitMix64
  var nodes: [SimulatedNode] = []
  var violations: [String] = []
  var requests: [UInt64: Outcome] = [:]
  /// How often each event happened, to show that the runs reach it.
  private(set) var counts: [String: Int] = [:]
  private var incarnations: [NodeID: SimulatedNode] = [:]
  private var lastPayload: UInt64 = 0
  private var hasFaults = true
  private var losesMessages = true

  /// A client's request, and its outcome.
  struct Outcome {
    let session: SessionKey
    let edge: SimulatedNode
    var result: RequestResult?
  }

  init(seed: UInt64, settings: Settings = Settings()) {
    self.settings = settings
    random = SplitMix64(seed: seed)
    log = SimulatedLog(
      queue: queue, random: SplitMix64(seed: seed ^ 0x5EED),
      comparesMessageIDs: settings.comparesMessageIDs)
    for index in 0..<settings.nodes { start("n\(index)") }
  }

  var keys: [SessionKey] {
    (0..<settings.sessions).map { SessionKey(reactor: "ledger", id: "s\($0)") }
  }

  func count(_ event: String) {
    counts[event, default: 0] += 1
  }

  // MARK: Nodes

  private func start(_ name: String) {
    let id = NodeID(name: name, incarnation: random.next())
    let node = SimulatedNode(id, simulation: self)
    incarnations[id] = node
    nodes.removeAll { $0.machine.node.name == name }
    nodes.append(node)
    nodes.sort { $0.machine.node.name < $1.machine.node.name }
  }

  /// Moves the address of a node to another incarnation.
  func newIncarnation(of name: String) -> NodeID {
    let id = NodeID(name: name, incarnation: random.next())
    for (old, node) in incarnations where old.name == name && node.isRunning {
      incarnations[old] = nil
      incarnations[id] = node
    }
    return id
  }

  // MARK: The bus

  private func delay() -> Milliseconds {
    // Without losses, late messages are frequent.
    let isLate = hasFaults && random.happens(losesMessages ? 3 : 20)
    return random.next(in: isLate ? 50...2500 : 1...6)
  }

  func send(
    from sender: SimulatedNode, to target: NodeID, _ body: @escaping (SimulatedNode) -> Void
  ) {
    guard !sender.isCut else { return }
    let copies = hasFaults && random.happens(3) ? 2 : 1
    for _ in 0..<copies where !(hasFaults && losesMessages && random.happens(2)) {
      queue.schedule(after: delay()) { [self] in
        guard let node = incarnations[target], !node.isCut else { return }
        node.perform { body(node) }
      }
    }
  }

  func broadcast(from sender: SimulatedNode, _ body: @escaping (SimulatedNode) -> Void) {
    for node in nodes where node !== sender {
      send(from: sender, to: node.machine.node, body)
    }
  }

  func request(
    _ request: NodeRequest, from sender: SimulatedNode, to target: NodeID, timeout: Milliseconds,
    completion: @escaping (Result<NodeReply, BusError>) -> Void
  ) {
    var isDone = false
    func finish(_ result: Result<NodeReply, BusError>) {
      sender.perform {
        guard !isDone else { return }
        isDone = true
        completion(result)
      }
    }
    queue.schedule(after: timeout) { finish(.failure(.timedOut)) }
    if !sender.isCut, !isListening(target) {
      return queue.schedule(after: random.next(in: 1...20)) { finish(.failure(.noSuchNode)) }
    }
    let me = sender.machine.node
    send(from: sender, to: target) { [self] node in
      node.receive(request, from: me) { [self] reply in
        send(from: node, to: me) { _ in finish(.success(reply)) }
      }
    }
  }

  private func isListening(_ target: NodeID) -> Bool {
    guard let node = incarnations[target] else { return false }
    return node.isRunning && !node.isCut
  }

  // MARK: Clients

  /// Sends actions one after the other, to sessions and nodes chosen at random.
  private func runClient(until end: Milliseconds) {
    guard queue.now < end else { return }
    let running = nodes.filter(\.isRunning)
    guard !running.isEmpty else {
      return queue.schedule(after: 100) { [self] in runClient(until: end) }
    }
    let node = running[Int(random.next() % UInt64(running.count))]
    let key = keys[Int(random.next() % UInt64(keys.count))]
    submit(to: key, at: node) { [self] in
      queue.schedule(after: random.next(in: 20...400)) { [self] in runClient(until: end) }
    }
  }

  private func submit(
    to key: SessionKey, at node: SimulatedNode, _ done: @escaping () -> Void
  ) {
    lastPayload += 1
    let payload = lastPayload
    requests[payload] = Outcome(session: key, edge: node)
    node.perform { [self] in
      node.submit(payload, to: key) { [self] result in
        if requests[payload]?.result != nil { violations.append("\(payload) has two responses") }
        requests[payload]?.result = result
        count(result)
        done()
      }
    }
  }

  private func count(_ result: RequestResult) {
    switch result {
    case .response: count("response")
    case .unavailable: count("unavailable")
    case .unknown: count("unknown")
    }
  }

  /// Sets the global at nodes chosen at random.
  private func setGlobals(until end: Milliseconds) {
    queue.schedule(after: random.next(in: 200...900)) { [self] in
      guard queue.now < end else { return }
      let running = nodes.filter(\.isRunning)
      if !running.isEmpty {
        setGlobal(at: running[Int(random.next() % UInt64(running.count))])
      }
      setGlobals(until: end)
    }
  }

  private func setGlobal(at node: SimulatedNode) {
    node.perform { [self] in
      node.setGlobal { [self] value, others, unconfirmed in
        count(unconfirmed == 0 ? "global applied" : "global unconfirmed")
        if unconfirmed == 0 { checkGlobal(value, setAt: node, knowing: others) }
      }
    }
  }

  /// Closes and opens subscriptions of nodes chosen at random, of all sessions but the last.
  private func changeSubscriptions(until end: Milliseconds) {
    queue.schedule(after: random.next(in: 20...400)) { [self] in
      guard queue.now < end else { return }
      let node = nodes[Int(random.next() % UInt64(nodes.count))]
      let key = keys[Int(random.next() % UInt64(keys.count - 1))]
      node.perform { [self] in
        node.unsubscribe(from: key)
        // The next request of the node often overtakes the message.
        if random.happens(70) { node.subscribe(to: key) }
      }
      changeSubscriptions(until: end)
    }
  }

  // MARK: Faults

  private func injectFaults(until end: Milliseconds) {
    queue.schedule(after: random.next(in: 300...1500)) { [self] in
      guard queue.now < end else { return }
      injectFault()
      injectFaults(until: end)
    }
  }

  private func injectFault() {
    let node = nodes[Int(random.next() % UInt64(nodes.count))]
    guard node.isRunning, !node.isPaused, !node.isCut else { return }
    let name = node.machine.node.name
    switch random.next() % 6 {
    case 0:
      node.kill()
      queue.schedule(after: random.next(in: 200...2500)) { [self] in start(name) }
    case 1:
      node.handle { $0.drain(at: queue.now) }
      queue.schedule(after: random.next(in: 500...2000)) { [self] in stop(node) }
    case 2, 3:
      node.pause()
      queue.schedule(after: random.next(in: 100...5000)) { node.resume() }
    case 4:
      node.isCut = true
      queue.schedule(after: random.next(in: 100...5000)) { node.isCut = false }
    default: log.electionEnd = queue.now + random.next(in: 100...4500)
    }
  }

  /// Stops a process in an orderly way, and starts it again.
  private func stop(_ node: SimulatedNode) {
    guard node.isRunning else { return }
    node.handle { $0.leave() }
    node.kill()
    let name = node.machine.node.name
    queue.schedule(after: random.next(in: 200...1000)) { [self] in start(name) }
  }

  // MARK: A run

  /// Runs with faults, then without, and checks everything.
  ///
  /// - Returns: The violations.
  func run() -> [String] {
    // A session with subscribers is not handed over.
    for key in keys.dropLast() {
      nodes[Int(random.next() % UInt64(nodes.count))].subscribe(to: key)
    }
    queue.run(until: 1_500)
    for _ in 0..<settings.clients { runClient(until: settings.faults) }
    setGlobals(until: settings.faults)
    changeSubscriptions(until: settings.faults)
    injectFaults(until: settings.faults)
    queue.run(until: settings.faults)
    hasFaults = false
    log.hasFaults = false
    // Wait until the longest pause, the latest message and the longest wait for the store have
    // ended.
    queue.run(until: settings.faults + settings.quiet)
    subscribeAll()
    visitAll()
    checkLog()
    checkResponses()
    checkOwners()
    checkSubscribers()
    checkSubscriptions()
    checkGlobals()
    return violations
  }

  /// Runs with late messages, none of which is lost and no digest repairs, and checks the
  /// subscriptions.
  ///
  /// - Returns: The violations.
  func runWithoutLoss() -> [String] {
    (hasFaults, losesMessages, log.hasFaults) = (false, false, false)
    queue.run(until: 1_500)
    // From its first commit on, a session has one owner.
    commitAll()
    for node in nodes { for key in keys { node.subscribe(to: key) } }
    hasFaults = true
    changeSubscriptions(until: settings.faults)
    queue.run(until: settings.faults)
    hasFaults = false
    queue.run(until: settings.faults + settings.quiet)
    // A commit ends the subscriptions that a late request has opened again.
    commitAll()
    checkSubscriptions()
    return violations
  }

  private func commitAll() {
    for key in keys { submit(to: key, at: nodes[0]) {} }
    queue.run(until: queue.now + 1_000)
  }

  private func subscribeAll() {
    for node in nodes { for key in keys { node.subscribe(to: key) } }
    queue.run(until: queue.now + 2_000)
  }

  /// Sends one action to each session at each node; all of them must succeed.
  private func visitAll() {
    for node in nodes {
      for key in keys {
        submit(to: key, at: node) {}
        let payload = lastPayload
        queue.run(until: queue.now + 1_000)
        guard case .response? = requests[payload]?.result else {
          violations.append(
            "no response after the quiet period: \(String(describing: requests[payload]))")
          continue
        }
      }
    }
    queue.run(until: queue.now + 4_000)
  }
}

import ReactorLog
import Testing

@testable import ReactorCluster

/// A session whose actions come from one other node.
struct HandOverTests {
  private static let node = NodeID(name: "n1", incarnation: 1)
  private static let edge = NodeID(name: "n2", incarnation: 1)
  private static let third = NodeID(name: "n3", incarnation: 1)
  private let key = SessionKey(reactor: "ledger", id: "s")

  /// A ready node that knows two others.
  private func machine(edge state: NodeState = .ready) -> ClusterMachine {
    var machine = ClusterMachine(
      Heartbeat(node: Self.node, state: .joining), settings: ClusterSettings(), at: 0)
    for now in [0, 1_000] as [Milliseconds] {
      machine.received(Heartbeat(node: Self.edge, state: state), at: now)
      machine.received(Heartbeat(node: Self.third, state: .ready), at: now)
      machine.tick(at: now)
    }
    _ = machine.takeEffects()
    return machine
  }

  private func request(_ count: UInt64, from edge: NodeID = edge) -> ForwardedRequest {
    ForwardedRequest(
      number: RequestNumber(edge: edge, count: count), session: key, kind: .action, payload: [])
  }

  /// Delivers a request for a session in memory.
  private func deliver(
    _ count: UInt64, from edge: NodeID = edge, isInMemory: Bool = true,
    to machine: inout ClusterMachine
  ) -> [ClusterEffect] {
    machine.received(
      .forward(request(count, from: edge)), isInMemory: isInMemory, canMove: true, reply: count,
      from: edge, at: 1_001)
    return machine.takeEffects()
  }

  private func execution(_ effects: [ClusterEffect]) throws -> ExecutionID {
    try #require(
      effects.compactMap { effect in
        switch effect {
        case .execute(let id, _), .handOver(let id, _): id
        default: nil
        }
      }.first)
  }

  @Test
  func `a session is handed over to the node that sends its actions`()
    throws
  {
    var machine = machine()
    let effects = deliver(1, to: &machine)
    let id = try execution(effects)
    #expect(effects == [.handOver(id, request(1))])
    machine.executed(id, .displaced(by: Self.edge), at: 1_002)
    #expect(machine.takeEffects() == [.reply(1, .ownedBy(Self.edge))])
  }

  @Test func `later requests of all nodes are redirected to the new owner until it has failed`()
    throws
  {
    var machine = machine()
    machine.executed(
      try execution(deliver(1, to: &machine)), .displaced(by: Self.edge), at: 1_002)
    _ = machine.takeEffects()
    #expect(deliver(2, isInMemory: false, to: &machine) == [.reply(2, .ownedBy(Self.edge))])
    #expect(
      deliver(3, from: Self.third, isInMemory: false, to: &machine)
        == [.reply(3, .ownedBy(Self.edge))])
    machine.received(Heartbeat(node: Self.edge, state: .left), at: 1_003)
    _ = machine.takeEffects()
    #expect(deliver(4, from: Self.third, isInMemory: false, to: &machine) == [.findLastWriter(key)])
  }

  @Test func `a session stays while its owner executes another request of it`() throws {
    var machine = machine()
    _ = try execution(deliver(1, to: &machine))
    let effects = deliver(2, to: &machine)
    #expect(effects == [.execute(try execution(effects), request(2))])
  }

  @Test(arguments: [NodeState.joining, .draining])
  func `a session stays if the other node is joining or draining`(_ state: NodeState) throws {
    var machine = machine(edge: state)
    let effects = deliver(1, to: &machine)
    #expect(effects == [.execute(try execution(effects), request(1))])
  }

  @Test func `a draining owner executes requests itself`() throws {
    var machine = machine()
    machine.drain(at: 1_000)
    _ = machine.takeEffects()
    let effects = deliver(1, to: &machine)
    #expect(effects == [.execute(try execution(effects), request(1))])
  }

  /// The new owner has just learned that it owns the session.
  ///
  /// It does not send further requests of its clients to the other node.
  @Test func `the new owner routes further requests to itself while it loads the session`() throws {
    var machine = machine()
    let key = try #require(
      (0..<100).map { SessionKey(reactor: "ledger", id: "\($0)") }.first {
        Placement.owner(of: $0, among: machine.readyNodes) == Self.edge
      })
    func submit(_ token: RequestToken) {
      machine.submit([], for: key, kind: .action, token: token, isInMemory: false, at: 1_001)
    }
    submit(1)
    let call = try #require(
      machine.takeEffects().compactMap { effect -> CallID? in
        if case .request(let id, Self.edge, .forward, _) = effect { id } else { nil }
      }.first)
    machine.received(.success(.ownedBy(Self.node)), of: call, at: 1_002)
    #expect(machine.takeEffects() == [.findLastWriter(key)])
    machine.foundLastWriter(.success(nil), of: key, at: 1_003)
    let effects = machine.takeEffects()
    let first = try execution(effects)
    #expect(effects.first == .claim(key))
    submit(2)
    #expect(machine.takeEffects() == [.findLastWriter(key)])
    machine.executed(first, .response([]), at: 1_004)
    #expect(machine.takeEffects() == [.respond(1, .response([], from: Self.node))])
  }

  // MARK: Rows of actions

  /// Records actions at intervals of 100 ms, and returns the numbers of those after which the
  /// session can move.
  private func move(_ actions: Int, from edge: NodeID, in affinity: inout ClientAffinity) -> [Int] {
    (1...actions).filter { affinity.received(key, from: edge, at: Milliseconds(100 * $0)) }
  }

  @Test func `actions that arrive at the same time do not move a session`() {
    var affinity = ClientAffinity()
    let moves = (0..<1_000).filter { _ in affinity.received(key, from: Self.edge, at: 7) }
    #expect(moves.isEmpty)
    let end = 7 + ClientAffinity.duration
    #expect(
      [end - 1, end].map { affinity.received(key, from: Self.edge, at: $0) } == [false, true])
  }

  @Test func `each further action of one node requests the move of the session until it has moved`()
  {
    var affinity = ClientAffinity()
    let moves = move(3 * ClientAffinity.threshold, from: Self.edge, in: &affinity)
    #expect(moves == Array(ClientAffinity.threshold...3 * ClientAffinity.threshold))
    affinity.endRow(of: key)
    #expect(affinity.isEmpty)
    #expect(!move(ClientAffinity.threshold, from: Self.edge, in: &affinity).isEmpty)
  }

  @Test func `an action of another node, or a use by the owner, restarts the count of actions`() {
    var affinity = ClientAffinity()
    for _ in 0..<3 {
      #expect(move(ClientAffinity.threshold - 1, from: Self.edge, in: &affinity).isEmpty)
      #expect(move(1, from: Self.third, in: &affinity).isEmpty)
      #expect(move(ClientAffinity.threshold - 1, from: Self.edge, in: &affinity).isEmpty)
      affinity.endRow(of: key)
    }
  }

  @Test func `the number of sessions whose actions are counted is bounded`() {
    var affinity = ClientAffinity()
    for index in 0..<ClientAffinity.limit * 2 {
      _ = affinity.received(SessionKey(reactor: "r", id: "\(index)"), from: Self.edge, at: 0)
    }
    #expect((1...ClientAffinity.limit).contains(affinity.count))
  }
}

import ReactorCluster
import ReactorLog
import Testing

/// Messages that are lost with a connection, and nodes that the bus does not reach, in virtual time.
struct UnreachableNodeTests {
  private static let me = NodeID(name: "me", incarnation: 1)
  private static let other = NodeID(name: "other", incarnation: 2)
  /// A session that placement assigns to the other node.
  private static let key =
    (0..<64).map { SessionKey(reactor: "counter", id: "s\($0)") }
    .first { Placement.owner(of: $0, among: [me, other]) == other }
    ?? SessionKey(reactor: "counter", id: "none")

  private var machine: ClusterMachine

  init() {
    machine = ClusterMachine(
      Heartbeat(node: Self.me, state: .joining), settings: ClusterSettings(), at: 0)
    machine.tick(at: 200)
    machine.received(Heartbeat(node: Self.other, state: .ready), at: 200)
    _ = machine.takeEffects()
  }

  /// The requests to the other node since the last call.
  private mutating func requests() -> [(id: CallID, request: NodeRequest)] {
    machine.takeEffects().compactMap { effect in
      guard case .request(let id, Self.other, let request, _) = effect else { return nil }
      return (id, request)
    }
  }

  /// Sends a request of a client, and returns its delivery.
  private mutating func forward(at now: Milliseconds) throws -> (id: CallID, ForwardedRequest) {
    machine.submit([1], for: Self.key, kind: .action, token: 7, isInMemory: false, at: now)
    let sent = requests()
    let first = try #require(sent.first)
    guard case .forward(let request) = first.request, sent.count == 1 else {
      throw MissingRequest()
    }
    return (first.id, request)
  }

  private struct MissingRequest: Error {}

  /// Executes the tick at a time, and returns the requests to the other node.
  private mutating func tick(at now: Milliseconds) -> [(id: CallID, request: NodeRequest)] {
    machine.tick(at: now)
    return requests()
  }

  @Test mutating func `a request that its owner does not have is sent again`() throws {
    let (delivery, request) = try forward(at: 1_000)
    #expect(tick(at: 1_049).isEmpty)
    #expect(tick(at: 1_050).map(\.request) == [.probe])
    #expect(tick(at: 1_149).isEmpty)
    let queries = tick(at: 1_150)
    #expect(queries.map(\.request) == [.locate([request.number])])
    machine.received(.success(.absent([request.number])), of: queries[0].id, at: 1_152)
    var repeated = request
    repeated.isRepeated = true
    let sent = requests()
    #expect(sent.map(\.request) == [.forward(repeated)])
    // A late reply to the first delivery is ignored: the second one counts.
    machine.received(.success(.response([2])), of: delivery, at: 1_153)
    #expect(machine.takeEffects().isEmpty)
    machine.received(.success(.response([3])), of: sent[0].id, at: 1_160)
    #expect(machine.takeEffects() == [.respond(7, .response([3], from: Self.other))])
  }

  @Test mutating func `an executed request is queried at growing intervals`() throws {
    let (_, request) = try forward(at: 1_000)
    for now in [1_150, 1_300, 1_600, 2_200] as [Milliseconds] {
      machine.received(Heartbeat(node: Self.other, state: .ready), at: now)
      #expect(tick(at: now - 1).isEmpty)
      let queries = tick(at: now)
      #expect(queries.map(\.request) == [.locate([request.number])], "\(now)")
      machine.received(.success(.absent([])), of: queries[0].id, at: now)
      #expect(requests().isEmpty)
    }
  }

  @Test mutating func `requests of the same time are queried in one message`() throws {
    var numbers: [RequestNumber] = []
    for _ in 0..<50 { numbers.append(try forward(at: 1_000).1.number) }
    #expect(tick(at: 1_150).map(\.request) == [.locate(numbers)])
  }

  @Test mutating func `an owner names the requests that it neither executes nor holds`() {
    func number(_ count: UInt64) -> RequestNumber { RequestNumber(edge: Self.other, count: count) }
    func request(_ count: UInt64, _ id: String) -> NodeRequest {
      .forward(
        ForwardedRequest(
          number: number(count), session: SessionKey(reactor: "counter", id: id), kind: .action,
          payload: []))
    }
    machine.received(request(1, "a"), isInMemory: true, reply: 1, from: Self.other, at: 300)
    machine.received(request(2, "b"), isInMemory: false, reply: 2, from: Self.other, at: 300)
    _ = machine.takeEffects()
    machine.received(
      .locate([number(1), number(2), number(3)]), isInMemory: false, reply: 3, from: Self.other,
      at: 310)
    #expect(machine.takeEffects() == [.reply(3, .absent([number(3)]))])
  }

  @Test mutating func `a node that has a request is probed when it is silent`() throws {
    #expect(tick(at: 990).isEmpty)
    _ = try forward(at: 1_000)
    let second = try forward(at: 1_020).id
    #expect(machine.nextDeadline == 1_050)
    // A reply to another request, or a heartbeat, is a sign of life.
    machine.received(.success(.response([2])), of: second, at: 1_030)
    #expect(machine.nextDeadline == 1_080)
    machine.received(Heartbeat(node: Self.other, state: .ready), at: 1_040)
    _ = machine.takeEffects()
    #expect(machine.nextDeadline == 1_090)
    #expect(tick(at: 1_089).isEmpty)
    let probes = tick(at: 1_090)
    #expect(probes.map(\.request) == [.probe])
    // One probe per delivery: the request itself can take long.
    machine.received(.success(.alive), of: probes[0].id, at: 1_091)
    #expect(tick(at: 1_149).isEmpty)
  }

  @Test mutating func `a killed node with requests is noticed and fails without a further request`()
    throws
  {
    #expect(tick(at: 980).isEmpty)
    for now in [990, 995, 1_000] as [Milliseconds] { _ = try forward(at: now) }
    // It is killed at 1,001 ms: the bus delivers nothing from then on.
    var now: Milliseconds = 1_001
    while machine.membership.isAlive(Self.other), now < 1_300 {
      now = machine.nextDeadline
      for sent in tick(at: now) {
        machine.received(.failure(.noSuchNode), of: sent.id, at: now)
      }
    }
    #expect(now == 1_100)
    #expect(!machine.membership.isAlive(Self.other))
  }

  @Test mutating func `a node whose connection is replaced does not fail`() throws {
    let (delivery, request) = try forward(at: 1_000)
    machine.received(.failure(.noSuchNode), of: delivery, at: 1_002)
    #expect(machine.takeEffects() == [.reportUnreachable(Self.other)])
    #expect(machine.membership.isAlive(Self.other))
    let probes = tick(at: 1_050)
    #expect(probes.map(\.request) == [.probe])
    machine.received(.success(.alive), of: probes[0].id, at: 1_051)
    // The request was not delivered, so it was not executed.
    #expect(requests().map(\.request) == [.forward(request)])
    #expect(machine.membership.isAlive(Self.other))
  }

  @Test
  mutating func
    `a node that is reported as unreachable fails only if the probes fail`()
  {
    machine.reportedUnreachable(Self.other)
    let probes = requests()
    #expect(probes.map(\.request) == [.probe])
    machine.received(.success(.alive), of: probes[0].id, at: 1_001)
    machine.reportedUnreachable(Self.other)
    for probe in requests() { machine.received(.failure(.noSuchNode), of: probe.id, at: 1_010) }
    #expect(machine.membership.isAlive(Self.other))
    // The other nodes already know: a further report has no effect.
    #expect(machine.takeEffects() == [.reportUnreachable(Self.other)])
    machine.reportedUnreachable(Self.other)
    #expect(machine.takeEffects().isEmpty)
    for probe in tick(at: 1_110) {
      machine.received(.failure(.noSuchNode), of: probe.id, at: 1_110)
    }
    #expect(!machine.membership.isAlive(Self.other))
  }

  @Test mutating func `a node that the bus does not reach for a while has failed`() throws {
    let (delivery, request) = try forward(at: 1_000)
    machine.received(.failure(.noSuchNode), of: delivery, at: 1_002)
    var now: Milliseconds = 1_002
    while machine.membership.isAlive(Self.other), now < 1_300 {
      now = machine.nextDeadline
      for probe in tick(at: now) where probe.request == .probe {
        machine.received(.failure(.noSuchNode), of: probe.id, at: now)
      }
    }
    #expect(now == 1_062)
    #expect(!machine.membership.isAlive(Self.other))
    // This node is the next owner; for it, the request is a first delivery.
    #expect(machine.takeEffects().contains(.findLastWriter(Self.key)))
    machine.foundLastWriter(.success(Self.other), of: Self.key, at: now)
    let executed = machine.takeEffects().compactMap { effect -> ForwardedRequest? in
      guard case .execute(_, let request) = effect else { return nil }
      return request
    }
    #expect(executed == [request])
  }
}

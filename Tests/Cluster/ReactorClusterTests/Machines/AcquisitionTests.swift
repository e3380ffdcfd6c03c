import ReactorLog
import Testing

@testable import ReactorCluster

/// A session whose last writer is alive and does not reply to requests for its release.
struct AcquisitionTests {
  private static let node = NodeID(name: "n1", incarnation: 1)
  private static let writer = NodeID(name: "n2", incarnation: 1)
  private static let edge = NodeID(name: "n3", incarnation: 1)
  private let key = SessionKey(reactor: "ledger", id: "s")

  private var machine: ClusterMachine

  init() {
    machine = ClusterMachine(
      Heartbeat(node: Self.node, state: .joining), settings: ClusterSettings(), at: 0)
    machine.tick(at: 200)
    for other in [Self.writer, Self.edge] {
      machine.received(Heartbeat(node: other, state: .ready), at: 200)
    }
    _ = machine.takeEffects()
  }

  /// Delivers a request of another node.
  private mutating func deliver(_ count: UInt64, at now: Milliseconds) {
    let request = ForwardedRequest(
      number: RequestNumber(edge: Self.edge, count: count), session: key, kind: .action,
      payload: [])
    machine.received(.forward(request), isInMemory: false, reply: count, from: Self.edge, at: now)
  }

  /// Processes the reply with the last writer, and lets the request for the release time out.
  ///
  /// - Returns: The time, and the effects after it.
  private mutating func timeOutRelease(
    at now: Milliseconds
  ) throws -> (Milliseconds, [ClusterEffect]) {
    machine.foundLastWriter(.success(Self.writer), of: key, at: now)
    let call = try #require(
      machine.takeEffects().compactMap { effect -> (id: CallID, timeout: Milliseconds)? in
        guard case .request(let id, Self.writer, .release(key), let timeout) = effect else {
          return nil
        }
        return (id, timeout)
      }.first)
    let end = now + call.timeout
    machine.received(.failure(.timedOut), of: call.id, at: end)
    return (end, machine.takeEffects())
  }

  @Test mutating func `the release is requested for as long as a request may wait`() throws {
    let start = 1_000 as Milliseconds
    deliver(1, at: start)
    #expect(machine.takeEffects() == [.findLastWriter(key)])
    var (now, effects) = (start, [ClusterEffect.findLastWriter(key)])
    while effects == [.findLastWriter(key)], now < start + 600_000 {
      (now, effects) = try timeOutRelease(at: now)
      if now == start + 2_000 { deliver(2, at: now) }
    }
    #expect(now == start + machine.settings.requestLimit)
    #expect(effects == [.reply(1, .unavailable), .reply(2, .unavailable)])
    // The next request begins again.
    deliver(3, at: now)
    #expect(machine.takeEffects() == [.findLastWriter(key)])
    #expect(try timeOutRelease(at: now).1 == [.findLastWriter(key)])
    machine.foundLastWriter(.success(nil), of: key, at: now)
    #expect(machine.takeEffects().first == .claim(key))
  }

  @Test mutating func `the release is requested at least once`() throws {
    machine.settings.requestLimit = 100
    deliver(1, at: 1_000)
    _ = machine.takeEffects()
    let (now, effects) = try timeOutRelease(at: 1_000)
    #expect(now == 1_000 + machine.settings.release)
    #expect(effects == [.reply(1, .unavailable)])
  }
}

import ReactorLog
import Testing

@testable import ReactorCluster

/// Requests of the clients of a draining node for sessions that are not in memory.
struct DrainingMachineTests {
  private static let node = NodeID(name: "n1", incarnation: 1)
  private static let other = NodeID(name: "n2", incarnation: 1)
  private let key = SessionKey(reactor: "counter", id: "s")

  private var machine = ClusterMachine(
    Heartbeat(node: node, state: .joining), settings: ClusterSettings(), at: 0)

  init() {
    machine.tick(at: 200)
    _ = machine.takeEffects()
  }

  /// Sends a request after the drain.
  ///
  /// - Returns: The effects.
  private mutating func submitDraining() -> [ClusterEffect] {
    machine.drain(at: 300)
    _ = machine.takeEffects()
    machine.submit([], for: key, kind: .action, token: 7, isInMemory: false, at: 301)
    return machine.takeEffects()
  }

  @Test mutating func `a draining node executes them if no other node is ready`() throws {
    expectEqual(submitDraining(), [.findLastWriter(key)])
    machine.foundLastWriter(.success(nil), of: key, at: 302)
    let effects = machine.takeEffects()
    let execution = try #require(
      effects.compactMap { effect -> ExecutionID? in
        if case .execute(let id, _) = effect { id } else { nil }
      }.first)
    machine.executed(execution, .response([1]), at: 303)
    #expect(machine.takeEffects() == [.respond(7, .response([1], from: Self.node))])
  }

  @Test mutating func `a draining node sends them to a ready node`() throws {
    machine.received(Heartbeat(node: Self.other, state: .ready), at: 250)
    let targets = submitDraining().map { effect -> NodeID? in
      if case .request(_, let target, .forward, _) = effect { target } else { nil }
    }
    #expect(targets == [Self.other])
  }
}

import ReactorLog
import Testing

@testable import ReactorCluster

/// Two nodes that take a session from a third one at the same time.
struct ClaimTests {
  private let key = SessionKey(reactor: "ledger", id: "s")

  /// A ready node that knows another one, and executes a request of that one.
  private func machine(_ node: NodeID, knowing other: NodeID) throws -> (
    ClusterMachine, ExecutionID
  ) {
    var machine = ClusterMachine(
      Heartbeat(node: node, state: .joining), settings: ClusterSettings(), at: 0)
    machine.received(Heartbeat(node: other, state: .ready), at: 0)
    machine.tick(at: 1_000)
    #expect(machine.state == .ready)
    machine.received(Heartbeat(node: other, state: .ready), at: 1_000)
    let request = ForwardedRequest(
      number: RequestNumber(edge: other, count: 1), session: key, kind: .action, payload: [])
    machine.received(.forward(request), isInMemory: true, reply: 7, from: other, at: 1_000)
    let execution = machine.takeEffects().compactMap { effect -> ExecutionID? in
      if case .execute(let id, _) = effect { id } else { nil }
    }
    return (machine, try #require(execution.first))
  }

  /// Both drop the session, and one of them loads it again.
  @Test func `of two nodes that claim a session, one executes the requests of both`() throws {
    let nodes = ["n1", "n2"].map { NodeID(name: $0, incarnation: 1) }
    var continuing: [NodeID] = []
    for (node, other) in [(nodes[0], nodes[1]), (nodes[1], nodes[0])] {
      var (machine, execution) = try machine(node, knowing: other)
      machine.claimed(key, by: other, isInMemory: true, at: 1_001)
      let effects = machine.takeEffects()
      let continues = effects == [.release(key, to: node, forced: true, nil)]
      #expect(continues || effects == [.release(key, to: other, forced: true, nil)])
      if continues { continuing.append(node) }
      for winner in [continues ? node : other, nil] {
        var copy = machine
        copy.executed(execution, .displaced(by: winner), at: 1_002)
        #expect(
          copy.takeEffects() == [continues ? .findLastWriter(key) : .reply(7, .ownedBy(other))])
      }
    }
    #expect(continuing.count == 1)
  }
}

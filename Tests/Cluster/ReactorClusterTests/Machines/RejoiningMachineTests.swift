import ReactorLog
import Testing

@testable import ReactorCluster

/// Requests without a response while their node joins again with another incarnation.
struct RejoiningMachineTests {
  private static let former = NodeID(name: "n1", incarnation: 1)
  private static let current = NodeID(name: "n1", incarnation: 2)
  private static let owner = NodeID(name: "n2", incarnation: 1)
  /// A session that placement assigns to the other node.
  private static let key =
    (0..<64).map { SessionKey(reactor: "counter", id: "s\($0)") }
    .first { Placement.owner(of: $0, among: [former, owner]) == owner }
    ?? SessionKey(reactor: "counter", id: "none")

  /// Returns the numbers of the forwarded requests.
  private func forwarded(_ effects: [ClusterEffect]) -> [RequestNumber] {
    effects.compactMap { effect in
      guard case .request(_, Self.owner, .forward(let request), _) = effect else { return nil }
      return request.number
    }
  }

  @Test(arguments: [ForwardedRequest.Kind.action, .call])
  func `a call gets the number of the new incarnation, and an action retains its own`(
    _ kind: ForwardedRequest.Kind
  ) throws {
    var machine = ClusterMachine(
      Heartbeat(node: Self.former, state: .joining), settings: ClusterSettings(), at: 0)
    machine.received(Heartbeat(node: Self.owner, state: .ready), at: 200)
    machine.tick(at: 200)
    _ = machine.takeEffects()
    machine.submit([], for: Self.key, kind: kind, token: 7, isInMemory: false, at: 300)
    let first = try #require(forwarded(machine.takeEffects()).first)
    #expect(first.edge == Self.former)
    machine.rejoin(as: Self.current, at: 400)
    machine.received(Heartbeat(node: Self.owner, state: .ready), at: 400)
    machine.tick(at: 600)
    let edge = kind == .call ? Self.current : Self.former
    #expect(
      forwarded(machine.takeEffects()) == [RequestNumber(edge: edge, count: first.count)])
  }
}

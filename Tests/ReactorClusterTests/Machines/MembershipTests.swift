import ReactorCluster
import ReactorLog
import Testing

struct MembershipTests {
  private let first = NodeID(name: "a", incarnation: 1)
  private let second = NodeID(name: "b", incarnation: 2)

  private func beat(_ node: NodeID, _ state: NodeState = .ready) -> Heartbeat {
    Heartbeat(node: node, state: state)
  }

  @Test func `a node without a heartbeat for the time of suspicion fails`() {
    var membership = Membership(suspect: 2_000)
    let reception = membership.receive(beat(first), at: 0)
    #expect(reception == .changed(replaced: nil))
    _ = membership.receive(beat(first), at: 500)
    _ = membership.receive(beat(second), at: 600)
    #expect(membership.nextExpiry == 2_500)
    expectEqual(membership.expire(at: 2_499).isEmpty, true)
    expectEqual(membership.expire(at: 2_500), [first])
    #expect(!membership.isAlive(first) && membership.isAlive(second))
  }

  @Test func `an incarnation that was marked as failed never returns`() {
    var membership = Membership(suspect: 2_000)
    _ = membership.receive(beat(first), at: 0)
    expectEqual(membership.fail(first), true)
    expectEqual(membership.receive(beat(first), at: 10), .expelled)
    #expect(membership.members.isEmpty)
    let next = NodeID(name: "a", incarnation: 9)
    expectEqual(membership.receive(beat(next), at: 20), .changed(replaced: nil))
    #expect(membership.living("a") == next)
  }

  @Test func `another incarnation of a name replaces the previous one`() {
    var membership = Membership(suspect: 2_000)
    _ = membership.receive(beat(first), at: 0)
    let next = NodeID(name: "a", incarnation: 9)
    expectEqual(membership.receive(beat(next), at: 20), .changed(replaced: first))
    expectEqual(membership.receive(beat(first), at: 30), .expelled)
    #expect(membership.members.count == 1)
  }

  @Test func `a heartbeat that was overtaken does not take the state of a node back`() {
    var membership = Membership(suspect: 2_000)
    _ = membership.receive(beat(first), at: 0)
    expectEqual(membership.receive(beat(first, .joining), at: 10), .known)
    #expect(membership.members[first]?.heartbeat.state == .ready)
    #expect(membership.members[first]?.heardAt == 10)
    expectEqual(membership.receive(beat(first, .draining), at: 20), .changed(replaced: nil))
    expectEqual(membership.receive(beat(first), at: 30), .known)
    #expect(membership.members[first]?.heartbeat.state == .draining)
  }

  @Test func `a node that leaves is not suspected but gone`() {
    var membership = Membership(suspect: 2_000)
    _ = membership.receive(beat(first), at: 0)
    expectEqual(membership.receive(beat(first, .left), at: 10), .left)
    #expect(membership.members.isEmpty)
  }

  @Test func `a node of another protocol is not a member`() {
    var membership = Membership(suspect: 2_000)
    var future = beat(first)
    future.protocols = 200...201
    expectEqual(membership.receive(future, at: 0), .incompatible)
    #expect(membership.members.isEmpty)
  }

  @Test func `the numbers of members and of failed incarnations are bounded`() {
    var membership = Membership(suspect: 2_000)
    for incarnation in 0..<1_000 as Range<UInt64> {
      _ = membership.receive(beat(NodeID(name: "n\(incarnation)", incarnation: 1)), at: 0)
    }
    #expect(membership.members.count == Membership.limit)
    for incarnation in 0..<1_000 as Range<UInt64> {
      _ = membership.fail(NodeID(name: "x", incarnation: incarnation))
    }
    // The oldest is forgotten, the latest is not.
    let latest = membership.receive(beat(NodeID(name: "x", incarnation: 999)), at: 0)
    #expect(latest == .expelled)
  }
}

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
    // The oldest failed incarnations are forgotten, the latest one is not.
    let latest = membership.receive(beat(NodeID(name: "x", incarnation: 999)), at: 0)
    #expect(latest == .expelled)
  }

  @Test func `a silent node is probed once until it is heard again`() {
    var membership = Membership(suspect: 2_000)
    _ = membership.receive(beat(first), at: 0)
    _ = membership.receive(beat(second), at: 500)
    expectEqual(membership.selectSilent(for: 1_000, at: 999), [])
    expectEqual(membership.selectSilent(for: 1_000, at: 1_000), [first])
    expectEqual(membership.selectSilent(for: 1_000, at: 1_100), [])
    _ = membership.receive(beat(first), at: 1_200)
    expectEqual(membership.selectSilent(for: 1_000, at: 2_200), [first, second])
  }

  @Test func `a difference of two nodes is reported once, until one of them changes`() {
    let own = Heartbeat(
      node: first, state: .ready, configuration: 1, fingerprints: ["a": 1, "b": 2])
    var differences = NodeDifferences()
    var other = own
    other.node = second
    expectEqual(differences.compare(other, with: own, at: 5), [])
    other.configuration = 2
    other.fingerprints = ["a": 3, "c": 2]
    let expected = ["the reactor a", "the reactor b", "the reactor c", "the settings"]
    expectEqual(differences.compare(other, with: own, at: 5), expected)
    expectEqual(differences.compare(other, with: own, at: 5), [])
    expectEqual(differences.all.map(\.differences), [expected])
    other.fingerprints = own.fingerprints
    expectEqual(differences.compare(other, with: own, at: 5), ["the settings"])
    other.state = .left
    expectEqual(differences.compare(other, with: own, at: 5), [])
    #expect(differences.all.isEmpty)
    let namesake = Heartbeat(
      node: NodeID(name: "a", incarnation: 9), state: .ready, configuration: 1,
      fingerprints: own.fingerprints)
    expectEqual(differences.compare(namesake, with: own, at: 5), ["the name of this node"])
    differences.expire(before: 5)
    expectEqual(differences.all.map(\.node), [namesake.node])
    differences.expire(before: 6)
    #expect(differences.all.isEmpty)
  }
}

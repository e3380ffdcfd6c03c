import ReactorCluster
import ReactorLog
import Testing

struct RemoteSubscriptionTests {
  private let owner = NodeID(name: "a", incarnation: 1)
  private let other = NodeID(name: "b", incarnation: 2)

  private func cursor(_ version: Int, _ epoch: String = "e") -> Cursor {
    Cursor(epoch: epoch, version: version)
  }

  private func live(at version: Int) -> RemoteSubscription {
    var subscription = RemoteSubscription()
    _ = subscription.opened(by: owner, at: cursor(version))
    return subscription
  }

  @Test func `states that follow the last one are published once`() {
    var subscription = live(at: 3)
    expectEqual(subscription.received(from: owner, epoch: "e", after: 3, to: 5), .publish(after: 3))
    expectEqual(subscription.received(from: owner, epoch: "e", after: 3, to: 5), .none)
    expectEqual(subscription.received(from: owner, epoch: "e", after: 4, to: 6), .publish(after: 5))
  }

  @Test func `a gap opens the subscription again, and its state is published`() {
    var subscription = live(at: 3)
    expectEqual(subscription.received(from: owner, epoch: "e", after: 4, to: 5), .open)
    // A commit that overtakes the reply is not lost: the state is read again.
    expectEqual(subscription.received(from: owner, epoch: "e", after: 5, to: 6), .none)
    expectEqual(subscription.opened(by: owner, at: cursor(5)), .open)
    expectEqual(subscription.opened(by: owner, at: cursor(6)), .publish(after: 5))
  }

  @Test func `the loss of the last message shows in the digest`() {
    var subscription = live(at: 3)
    expectEqual(subscription.received(digestFrom: owner, cursor(3)), .none)
    expectEqual(subscription.received(digestFrom: other, cursor(4)), .none)
    expectEqual(subscription.received(digestFrom: owner, cursor(4)), .open)
  }

  @Test func `a new owner and a new history are followed`() {
    var subscription = live(at: 3)
    expectEqual(subscription.failed(other), .none)
    expectEqual(subscription.failed(owner), .open)
    expectEqual(subscription.opened(by: other, at: cursor(3)), .none)
    #expect(subscription.owner == other)
    expectEqual(subscription.received(from: owner, epoch: "e", after: 3, to: 4), .none)
    expectEqual(subscription.received(from: other, epoch: "f", after: 0, to: 1), .open)
    expectEqual(subscription.opened(by: other, at: cursor(1, "f")), .publish(after: 0))
  }

  @Test func `a deleted session ends the subscription`() {
    var subscription = live(at: 3)
    expectEqual(subscription.closed(by: other, isDeleted: true), .none)
    expectEqual(subscription.closed(by: owner, isDeleted: true), .end)
    expectEqual(subscription.reopen(), .none)
  }

  @Test func `a subscription that cannot be opened is opened again after a pause`() {
    var subscription = RemoteSubscription()
    subscription.failedToOpen(at: 50)
    #expect(subscription.nextDeadline == 50 + RemoteSubscription.pause)
    expectEqual(subscription.tick(at: 100), .none)
    expectEqual(subscription.tick(at: 150), .open)
  }

  @Test func `an owner that has forgotten the node is noticed by two digests, or by none`() {
    let key = SessionKey(reactor: "r", id: "s")
    var table = SubscriptionTable()
    var nodes = SubscribedNodes()
    expectEqual(table.insert(key) && nodes.insert(other, to: key), true)
    table.change(key, at: 0) { $0.opened(by: owner, at: cursor(1)) }
    for (_, digest) in nodes.takeDigests() {
      expectEqual(table.received(digest, from: owner, at: 1_000).isEmpty, true)
    }
    let empty = Digest(changes: [], subscriptions: 0)
    expectEqual(table.received(empty, from: owner, at: 2_000).isEmpty, true)
    expectEqual(table.received(empty, from: owner, at: 3_000), [key])
    table.change(key, at: 3_100) { $0.opened(by: owner, at: cursor(1)) }
    expectEqual(table.tick(at: 3_200).isEmpty, true)
    expectEqual(table.tick(at: 9_000), [key])
  }

  @Test func `subscriptions are opened again after their own pause only`() {
    let keys = (0..<3).map { SessionKey(reactor: "r", id: "s\($0)") }
    var table = SubscriptionTable()
    for key in keys { expectEqual(table.insert(key), true) }
    table.change(keys[0], at: 0) { $0.opened(by: owner, at: cursor(1)) }
    for (key, time) in [(keys[1], 10), (keys[2], 50)] {
      table.change(key, at: Milliseconds(time)) {
        $0.failedToOpen(at: Milliseconds(time))
        return .none
      }
    }
    expectEqual(table.tick(at: 100).isEmpty, true)
    expectEqual(table.tick(at: 120), [keys[1]])
    expectEqual(table.tick(at: 140).isEmpty, true)
    expectEqual(table.remove(keys[2]) == nil, true)
    expectEqual(table.tick(at: 200).isEmpty, true)
  }

  @Test func `the digest names each changed session once`() {
    let keys = (0..<3).map { SessionKey(reactor: "r", id: "s\($0)") }
    var nodes = SubscribedNodes()
    for key in keys { expectEqual(nodes.insert(other, to: key), true) }
    expectEqual(nodes.committed(keys[0], at: cursor(1)), [other])
    expectEqual(nodes.committed(keys[0], at: cursor(2)), [other])
    let digests = nodes.takeDigests()
    #expect(digests.map(\.node) == [other])
    #expect(digests[0].digest.changes == [.init(session: keys[0], cursor: cursor(2))])
    expectEqual(nodes.takeDigests()[0].digest.changes.isEmpty, true)
    expectEqual(nodes.removeAll(of: other).count == 3 && nodes.count == 0, true)
  }
}

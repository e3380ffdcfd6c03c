import ReactorLog
import Testing

@testable import ReactorCluster

struct RemoteSubscriptionTests {
  private let owner = NodeID(name: "a", incarnation: 1)
  private let other = NodeID(name: "b", incarnation: 2)

  private func cursor(_ version: Int, _ epoch: String = "e") -> Cursor {
    Cursor(epoch: epoch, version: version)
  }

  private func live(at version: Int) -> RemoteSubscription {
    var subscription = RemoteSubscription()
    expectEqual(subscription.beginOpening(1), true)
    _ = subscription.opened(1, by: owner, at: cursor(version))
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
    expectEqual(subscription.beginOpening(2), true)
    // A commit that overtakes the reply is not lost: the state is read again.
    expectEqual(subscription.received(from: owner, epoch: "e", after: 5, to: 6), .none)
    expectEqual(subscription.opened(2, by: owner, at: cursor(5)), .open)
    expectEqual(subscription.beginOpening(3), true)
    expectEqual(subscription.opened(3, by: owner, at: cursor(6)), .publish(after: 5))
    expectEqual(subscription.beginOpening(4), false)
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
    expectEqual(subscription.beginOpening(2), true)
    expectEqual(subscription.opened(2, by: other, at: cursor(3)), .none)
    #expect(subscription.owner == other)
    expectEqual(subscription.received(from: owner, epoch: "e", after: 3, to: 4), .none)
    expectEqual(subscription.received(from: other, epoch: "f", after: 0, to: 1), .open)
    expectEqual(subscription.beginOpening(3), true)
    expectEqual(subscription.opened(3, by: other, at: cursor(1, "f")), .publish(after: 0))
  }

  @Test func `a deleted session ends the subscription`() {
    var subscription = live(at: 3)
    expectEqual(subscription.closed(1, by: other, isDeleted: true), .none)
    expectEqual(subscription.closed(1, by: owner, isDeleted: true), .end)
    expectEqual(subscription.reopen(), .none)
  }

  @Test func `the reply to an earlier attempt and its end are ignored`() {
    var subscription = live(at: 3)
    expectEqual(subscription.reopen(), .open)
    expectEqual(subscription.beginOpening(2), true)
    expectEqual(subscription.opened(1, by: owner, at: cursor(4)), .none)
    expectEqual(subscription.closed(1, by: owner, isDeleted: true), .none)
    subscription.failedToOpen(1, at: 50)
    expectEqual(subscription.opened(2, by: owner, at: cursor(4)), .publish(after: 3))
    expectEqual(subscription.closed(1, by: owner, isDeleted: true), .none)
    #expect(subscription.owner == owner)
  }

  @Test func `an end that overtakes the reply opens the subscription again`() {
    var subscription = live(at: 3)
    expectEqual(subscription.reopen(), .open)
    expectEqual(subscription.beginOpening(2), true)
    expectEqual(subscription.closed(2, by: owner, isDeleted: false), .none)
    expectEqual(subscription.opened(2, by: owner, at: cursor(4)), .open)
    expectEqual(subscription.beginOpening(3), true)
    expectEqual(subscription.opened(3, by: owner, at: cursor(4)), .publish(after: 3))
  }

  @Test func `the end of a subscription does not end a later one that overtakes it`() {
    let key = SessionKey(reactor: "r", id: "s")
    var table = SubscriptionTable()
    var nodes = SubscribedNodes()
    var numbers: [UInt64] = []
    for _ in 0..<2 {
      expectEqual(table.insert(key), true)
      let number = table.beginOpening(key) ?? 0
      table.change(key, at: 0) { $0.opened(number, by: owner, at: cursor(1)) }
      expectEqual(table.remove(key)?.number, number)
      numbers.append(number)
    }
    for number in numbers.reversed() {
      expectEqual(nodes.insert(other, to: key, as: number), true)
    }
    expectEqual(nodes.number(of: key, for: other), numbers[1])
    expectEqual(nodes.remove(other, from: key, upTo: numbers[0]), false)
    expectEqual(nodes.count, 1)
    expectEqual(nodes.remove(other, from: key, upTo: numbers[1]), true)
    // A repeated request subscribes the node again; it closes the subscription at the next commit.
    expectEqual(nodes.insert(other, to: key, as: numbers[1]), true)
    expectEqual(nodes.remove(other, from: key, upTo: table.removal(of: key) ?? 0), true)
  }

  @Test func `a subscription that cannot be opened is opened again after a pause`() {
    var subscription = RemoteSubscription()
    expectEqual(subscription.beginOpening(1), true)
    subscription.failedToOpen(1, at: 50)
    #expect(subscription.nextDeadline == 50 + RemoteSubscription.pause)
    expectEqual(subscription.tick(at: 100), .none)
    expectEqual(subscription.tick(at: 150), .open)
  }

  @Test func `an owner that has forgotten the node is noticed by two digests, or by none`() {
    let key = SessionKey(reactor: "r", id: "s")
    var table = SubscriptionTable()
    var nodes = SubscribedNodes()
    expectEqual(table.insert(key) && nodes.insert(other, to: key, as: 1), true)
    expectEqual(table.beginOpening(key), 1)
    table.change(key, at: 0) { $0.opened(1, by: owner, at: cursor(1)) }
    for (_, digest) in nodes.takeDigests() {
      expectEqual(table.received(digest, from: owner, at: 1_000).isEmpty, true)
    }
    let empty = Digest(changes: [], subscriptions: 0)
    expectEqual(table.received(empty, from: owner, at: 2_000).isEmpty, true)
    expectEqual(table.received(empty, from: owner, at: 3_000), [key])
    expectEqual(table.beginOpening(key), 2)
    table.change(key, at: 3_100) { $0.opened(2, by: owner, at: cursor(1)) }
    expectEqual(table.tick(at: 3_200).isEmpty, true)
    expectEqual(table.tick(at: 9_000), [key])
  }

  @Test func `an owner that has an earlier number is noticed by two digests`() {
    let key = SessionKey(reactor: "r", id: "s")
    var table = SubscriptionTable()
    var nodes = SubscribedNodes()
    expectEqual(table.insert(key), true)
    let earlier = table.beginOpening(key) ?? 0
    let number = table.beginOpening(key) ?? 0
    table.change(key, at: 0) { $0.opened(number, by: owner, at: cursor(1)) }
    // The owner has closed the session, and got the earlier request again.
    expectEqual(nodes.insert(other, to: key, as: earlier), true)
    for (time, reopened) in [(1_000, []), (2_000, [key])] as [(Milliseconds, [SessionKey])] {
      let digest = nodes.takeDigests()[0].digest
      expectEqual(table.received(digest, from: owner, at: time), reopened)
    }
    let next = table.beginOpening(key) ?? 0
    table.change(key, at: 2_000) { $0.opened(next, by: owner, at: cursor(1)) }
    expectEqual(nodes.insert(other, to: key, as: next), true)
    for time in [3_000, 4_000] as [Milliseconds] {
      let digest = nodes.takeDigests()[0].digest
      expectEqual(table.received(digest, from: owner, at: time), [])
    }
  }

  @Test func `subscriptions are opened again after their own pause only`() {
    let keys = (0..<3).map { SessionKey(reactor: "r", id: "s\($0)") }
    var table = SubscriptionTable()
    for key in keys { expectEqual(table.insert(key), true) }
    let numbers = keys.map { table.beginOpening($0) ?? 0 }
    table.change(keys[0], at: 0) { $0.opened(numbers[0], by: owner, at: cursor(1)) }
    for (index, time) in [(1, 10), (2, 50)] {
      table.change(keys[index], at: Milliseconds(time)) {
        $0.failedToOpen(numbers[index], at: Milliseconds(time))
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
    for key in keys { expectEqual(nodes.insert(other, to: key, as: 1), true) }
    expectEqual(nodes.committed(keys[0], at: cursor(1)), [other])
    expectEqual(nodes.committed(keys[0], at: cursor(2)), [other])
    let digests = nodes.takeDigests()
    #expect(digests.map(\.node) == [other])
    #expect(digests[0].digest.changes == [.init(session: keys[0], cursor: cursor(2))])
    expectEqual(nodes.takeDigests()[0].digest.changes.isEmpty, true)
    expectEqual(nodes.removeAll(of: other).count == 3 && nodes.count == 0, true)
  }
}

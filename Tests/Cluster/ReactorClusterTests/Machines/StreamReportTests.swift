import ReactorHost
import ReactorLog
import TestSupport
import Testing

@testable import ReactorCluster

/// The streams of a node, between the node and the owner of the session.
struct StreamReportTests {
  /// Both sides; the counts of the owner are sums of the changes.
  private struct Link {
    var reporter = StreamReporter()
    var node = ReportedNode()
    var counts: [String?: Int] = [:]

    mutating func begin(_ number: UInt64) { reporter.begin(number) }

    mutating func deliver(_ report: StreamReport) -> Bool {
      guard let changes = node.receive(report) else { return false }
      for (owner, change) in changes {
        let sum = counts[owner.text, default: 0] + change
        counts[owner.text] = sum == 0 ? nil : sum
      }
      return true
    }

    mutating func deliverAll() -> Int {
      let parts = reporter.takeParts()
      for part in parts { expectEqual(deliver(part), true) }
      return parts.count
    }
  }

  private func name(_ index: Int) -> String {
    "\(index)".padding(to: 128)
  }

  @Test func `streams of many owners are reported in parts that fit into a message`() {
    var link = Link()
    for index in 0..<1_000 { link.reporter.change(StreamOwner(name(index)), by: 1 + index % 3) }
    link.reporter.change(.anonymous, by: 5)
    expectEqual(link.reporter.takeParts(), [])
    link.begin(1)
    let parts = link.reporter.takeParts()
    #expect(parts.map(\.part) == Array(0..<parts.count) && parts.count > 1)
    let key = SessionKey(reactor: "counter", id: "demo")
    for part in parts {
      let message = NodeMessage.streams(key, part, from: NodeID(name: "a", incarnation: 1))
      #expect(message.bytes.count < 32_768)
      expectEqual(link.deliver(part), true)
    }
    #expect(link.counts.count == 1_001 && link.counts[nil] == 5)
    #expect(link.counts[name(998)] == 3)
    // Only the changes follow.
    link.reporter.change(StreamOwner(name(998)), by: -3)
    link.reporter.change(StreamOwner("ada"), by: 1)
    link.reporter.change(.anonymous, by: -5)
    let changes = link.reporter.takeParts()
    #expect(changes.count == 1 && changes[0].streams.count == 3)
    expectEqual(link.deliver(changes[0]), true)
    #expect(link.counts.count == 1_000 && link.counts["ada"] == 1 && link.counts[nil] == nil)
    expectEqual(link.reporter.takeParts(), [])
    // The next subscription repeats all streams, and removes none in the meantime.
    link.begin(2)
    for part in link.reporter.takeParts() {
      expectEqual(link.deliver(part), true)
      #expect(link.counts.count == 1_000)
    }
    #expect(link.node.removal.values.reduce(0, +) == -link.counts.values.reduce(0, +))
  }

  @Test func `a lost part is noticed, and the next subscription replaces all streams`() {
    var link = Link()
    link.begin(1)
    link.reporter.change(StreamOwner("ada"), by: 1)
    expectEqual(link.deliverAll(), 1)
    link.reporter.change(StreamOwner("bob"), by: 1)
    _ = link.reporter.takeParts()
    link.reporter.change(StreamOwner("ada"), by: -1)
    let next = link.reporter.takeParts()
    expectEqual(link.deliver(next[0]), false)
    #expect(link.counts == ["ada": 1])
    link.begin(2)
    expectEqual(link.deliverAll(), 1)
    #expect(link.counts == ["bob": 1])
    // A part that arrives twice, and the first part of a subscription that is missing.
    link.reporter.change(StreamOwner("bob"), by: 1)
    let part = link.reporter.takeParts()[0]
    expectEqual(link.deliver(part) && link.deliver(part), true)
    #expect(link.counts == ["bob": 2])
    link.begin(3)
    _ = link.reporter.takeParts()
    link.reporter.change(StreamOwner("bob"), by: -2)
    expectEqual(link.deliver(link.reporter.takeParts()[0]), false)
  }

  @Test func `a subscription without streams removes those of the previous one`() {
    var link = Link()
    link.begin(1)
    link.reporter.change(.anonymous, by: 2)
    expectEqual(link.deliverAll(), 1)
    link.begin(2)
    link.reporter.change(.anonymous, by: -2)
    expectEqual(link.deliverAll(), 1)
    #expect(link.counts.isEmpty)
    // An earlier attempt does not begin again.
    link.begin(1)
    expectEqual(link.reporter.takeParts(), [])
  }

  @Test func `an image and a presence have the subscribers of an event`() {
    let all = Presence((0..<1_000).map { .init(name: name(10_000 + $0)) })
    let page = all.page(limit: PresencePage.eventLimit)
    #expect(page.presence.count == 1_000)
    #expect(page.presence.subscribers == Array(all.subscribers.prefix(100)) && page.more == 900)
    #expect(SessionReply.subscribers(page).bytes.count < 32_768)
    // All pages together have each subscriber once.
    var found: [Presence.Subscriber] = []
    var more = 1
    while more > 0 {
      let next = all.page(after: found.last?.name, limit: 1_000)
      #expect(next.presence.count == 1_000)
      found += next.presence.subscribers
      more = next.more
      #expect(found.count + more == 1_000 && SessionReply.subscribers(next).bytes.count < 32_768)
    }
    #expect(found == all.subscribers)
    let update = PresenceUpdate(page.presence, more: page.more, revision: 1)
    #expect(update.eventPage == page)
  }
}

extension String {
  fileprivate func padding(to count: Int) -> String {
    self + String(repeating: "x", count: max(0, count - utf8.count))
  }
}

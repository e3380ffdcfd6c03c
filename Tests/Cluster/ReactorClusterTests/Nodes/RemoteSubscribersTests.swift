import ReactorHost
import ReactorLog
import Synchronization
import Testing

@testable import ReactorCluster

/// The subscribers of a session at another node than its owner.
struct RemoteSubscribersTests {
  private let key = SessionKey(reactor: "counter", id: "demo")

  /// The latest subscribers of a session.
  private final class Subscribers: PresenceObserver {
    let page = Mutex(PresencePage(Presence()))

    func presenceDidChange(_ update: PresenceUpdate) { page.withLock { $0 = update.eventPage } }
  }

  private func pages(of session: any SessionSource) async throws -> [Presence.Subscriber] {
    var found: [Presence.Subscriber] = []
    while true {
      let page = try await session.subscribers(after: found.last?.name, limit: 1_000)
      found += page.presence.subscribers
      if page.more == 0 { return found }
    }
  }

  @Test func `the names of all subscribers reach the other node, however many there are`()
    async throws
  {
    let cluster = try await Cluster(["n1", "n2"])
    let owner = try cluster.owner(of: key)
    let edge = cluster.others(than: owner)[0]
    let recorder = Recorder()
    try await recorder.observe(key.id, at: edge.host)
    let remote = try await edge.host.open(key.id)
    // In the order of their bytes: 38 KB of names at each node.
    let names = (1_000..<1_300).map { "\($0)" + String(repeating: "x", count: 124) }
    for name in names { remote.changeStreams(of: StreamOwner(name), by: 1) }
    let session = try await owner.host.open(key.id)
    for name in names { session.changeStreams(of: StreamOwner(name + "y"), by: 2) }
    let all = names.flatMap {
      [Presence.Subscriber(name: $0), Presence.Subscriber(name: $0 + "y", streams: 2)]
    }
    try await wait { session.subscriberCount == 901 }
    #expect(session.presence.subscribers == all)
    let observer = Subscribers()
    remote.observePresence(observer)
    let event = PresencePage(
      Presence(count: 901, subscribers: Array(all.prefix(100))), more: 500)
    try await wait { observer.page.withLock { $0 } == event }
    #expect(try await pages(of: remote) == all)
    // A new request reads the session at its owner.
    let reopened = try await edge.host.open(key.id)
    #expect(reopened.subscriberCount == 901)
    for name in names { remote.changeStreams(of: StreamOwner(name), by: -1) }
    try await wait { session.subscriberCount == 601 }
    try await wait { observer.page.withLock { $0.more } == 200 }
  }
}

import Brokers
import NATSBus
import NATSClient
import NATSLog
import ReactorCluster
import ReactorHost
import ReactorLog
import Reactors
import Synchronization
import Testing

/// Nodes over the bus and the log of a real broker, in one process.
struct BrokerNodeTests {
  /// One node.
  private final class Member: Sendable {
    let node: ClusterNode
    let host: Host
    let log: NATSLog
    let bus: NATSBus

    init(
      _ name: String, _ addresses: NATSAddresses, _ clusterSettings: ClusterSettings
    ) async throws {
      var settings = NATSLog.Settings(addresses, node: name)
      settings.replicas = 1
      settings.wait = .seconds(600)
      let log = try await Self.open(settings)
      let connection = try NATSConnection(NATSConnection.Options(addresses, name: name))
      bus = try NATSBus(
        connection, prefix: settings.name, incarnation: .random(in: 1 ... .max),
        quorum: { true })
      node = ClusterNode(named: name, bus: bus, settings: clusterSettings)
      host = Host(
        [ReactorRegistration("counter", summary: "") { CounterReactor() }], log: log, router: node)
      self.log = log
      node.start(host)
    }

    /// Opens the store; repeats an attempt for which the broker was too slow.
    private static func open(_ settings: NATSLog.Settings) async throws -> NATSLog {
      while true {
        do {
          return try await NATSLog.open(settings)
        } catch {
          guard error.isTemporary else { throw error }
          try await Task.sleep(for: .milliseconds(10))
        }
      }
    }

    /// Ends the node without leaving: its requests have no responders, and it writes nothing.
    func kill() {
      bus.leave()
      log.close(within: .zero)
    }

    func end() {
      node.leave()
      log.close(within: .seconds(5))
    }
  }

  private let key = SessionKey(reactor: "counter", id: "demo")

  private func start(
    _ names: [String] = ["n1", "n2", "n3"], on broker: Broker,
    settings: ClusterSettings = .undetecting
  ) async throws -> [Member] {
    let addresses = try #require(NATSAddresses(broker.url))
    var members: [Member] = []
    for name in names {
      members.append(try await Member(name, addresses, settings))
    }
    try await wait { [members] in members.allSatisfy { $0.node.readyNodes.count == names.count } }
    return members
  }

  @Test func `actions, keys and streams of any node pass through the owner`() async throws {
    let broker = try Broker(Broker.patience)
    let members = try await start(on: broker)
    let recorder = Recorder()
    try await recorder.observe(key.id, at: members[2].host)
    for index in 0..<9 {
      let outcome = try await members[index % 3].host.post(
        #""increase""#, to: key.id, key: "k\(index)")
      #expect(outcome.version == index + 1)
    }
    for member in members {
      let repeated = try await member.host.post(#""increase""#, to: key.id, key: "k0")
      guard case .replayed(let outcome) = repeated else {
        Issue.record("\(repeated)")
        continue
      }
      #expect(outcome.version == 1)
    }
    try await wait { recorder.last == 9 }
    #expect(recorder.isAscending)
    #expect(members.filter { $0.node.holds(key) }.count == 1)
    for member in members { member.end() }
  }

  @Test func `the kill of the owner loses and doubles no action`() async throws {
    let broker = try Broker(Broker.patience)
    let members = try await start(on: broker, settings: .repeating)
    #expect(try await members[0].host.post(#""increase""#, to: key.id).version == 1)
    let owner = try #require(members.first { $0.node.holds(key) })
    let others = members.filter { $0 !== owner }
    for index in 0..<20 {
      if index == 10 { owner.kill() }
      let outcome = try await others[index % 2].host.post(#""increase""#, to: key.id)
      #expect(outcome.version == index + 2, "\(outcome)")
    }
    let session = try await others[0].host.open(key.id)
    #expect(String(decoding: session.current.json, as: UTF8.self) == #"{"value":21}"#)
    for member in others { member.end() }
  }

  /// The latest subscribers of a session.
  private final class Subscribers: PresenceObserver {
    let page = Mutex(PresencePage(Presence()))

    func presenceDidChange(_ update: PresenceUpdate) { page.withLock { $0 = update.eventPage } }
  }

  private func pages(of session: any SessionSource) async throws -> [Presence.Subscriber] {
    var found: [Presence.Subscriber] = []
    while true {
      let page = try await withCheckedThrowingContinuation { continuation in
        session.subscribers(after: found.last?.name, limit: 1_000) {
          continuation.resume(with: $0.mapError { $0 as any Error })
        }
      }
      found += page.presence.subscribers
      if page.more == 0 { return found }
    }
  }

  @Test func `the names of all subscribers reach the other node, however many there are`()
    async throws
  {
    let broker = try Broker("max_payload: 32768\n" + Broker.patience)
    let members = try await start(["n1", "n2"], on: broker)
    _ = try await members[0].host.open(key.id)
    let owner = try #require(members.first { $0.node.holds(key) })
    let edge = try #require(members.first { $0 !== owner })
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
    for member in members { member.end() }
  }
}

import ReactorCluster
import ReactorCore
import ReactorHost
import ReactorLog
import Reactors
import Shares
import Synchronization
import Testing

/// Several nodes in one process, over one log and one network.
final class Cluster: Sendable {
  /// One node.
  final class Member: Sendable {
    let node: ClusterNode
    let host: Host
    let log: WriterLog
    let bus: MemoryBus
    let theme: Global<String>
    let ledger = Ledger()

    init(
      _ name: String, _ cluster: Cluster, _ settings: ClusterSettings,
      _ reactors: (_ name: String, _ theme: Global<String>) -> [ReactorRegistration]
    ) {
      bus = MemoryBus(cluster.network)
      log = WriterLog(cluster.store, writer: name)
      node = ClusterNode(named: name, bus: bus, settings: settings)
      theme = Global("theme", "light")
      var hostSettings = HostSettings()
      hostSettings.ledger = ledger
      host = Host(
        [
          ReactorRegistration("counter", summary: "") { CounterReactor() },
          ReactorRegistration("slow", summary: "") { SlowReactor() },
          ReactorRegistration("careful", summary: "", whenInterrupted: .giveUp) { SlowReactor() },
        ] + reactors(name, theme), globals: [theme], log: log, settings: hostSettings,
        router: node)
      node.start(host)
    }

    /// Ends the node like `kill -9`: it neither writes nor sends, and its name is free immediately.
    func kill() {
      log.kill()
      bus.isCut = true
      bus.leave()
    }
  }

  let network = MemoryNetwork()
  let store = WriterLog.Store()
  private let stored = Mutex<[Member]>([])

  var members: [Member] { stored.withLock { $0 } }

  /// Starts nodes, and waits until each knows the others as ready.
  init(
    _ names: [String] = ["n1", "n2", "n3"], settings: ClusterSettings = .undetecting,
    reactors: (_ name: String, _ theme: Global<String>) -> [ReactorRegistration] = { _, _ in [] }
  ) async throws {
    for name in names {
      let member = Member(name, self, settings, reactors)
      stored.withLock { $0.append(member) }
    }
    try await wait { self.members.allSatisfy { $0.node.readyNodes.count == names.count } }
  }

  deinit {
    for member in members { member.node.leave(within: .zero) }
  }

  /// The member that owns a session by its placement.
  func owner(of key: SessionKey) throws -> Member {
    let id = Placement.owner(of: key, among: members.map(\.node.node))
    return try #require(members.first { $0.node.node == id })
  }

  /// The members that do not own a session.
  func others(than owner: Member) -> [Member] {
    members.filter { $0 !== owner }
  }

  /// The members that have a session in memory.
  func holders(of key: SessionKey) -> [String] {
    members.filter { !$0.log.isDead && $0.node.holds(key) }.map(\.node.node.name)
  }

  /// The numbers of streams of a session, at each member that has it in memory.
  func subscriberCounts(of key: SessionKey) -> [Int] {
    members.compactMap { $0.host.reactor(key.reactor)?.liveSession(key.id)?.subscriberCount }
  }
}

extension ClusterSettings {
  /// A node that is slow does not count as failed, and its requests are neither repeated nor given up:
  /// only a node without a receiver counts as failed, at the first request to it.
  static var undetecting: ClusterSettings {
    var settings = ClusterSettings()
    settings.heartbeat = 50
    settings.suspect = 600_000
    settings.repetition = 600_000
    settings.requestLimit = 600_000
    settings.listLimit = 600_000
    settings.globalLimit = 600_000
    return settings
  }

  /// Like ``undetecting``, and a request is repeated: a node may end after it has received one.
  static var repeating: ClusterSettings {
    var settings = undetecting
    settings.repetition = 2_500
    return settings
  }

  /// Like ``repeating``, and a node without heartbeats counts as failed.
  static var suspicious: ClusterSettings {
    var settings = repeating
    settings.suspect = 2_000
    return settings
  }
}

/// Waits until a condition holds; fails after ten minutes.
func wait(until condition: @Sendable () -> Bool) async throws {
  for _ in 0..<60_000 {
    if condition() { return }
    try await Task.sleep(for: .milliseconds(10))
  }
  throw ConditionFailed()
}

struct ConditionFailed: Error {}

extension Host {
  func open(
    _ id: String, of name: String = "counter", for intent: SessionIntent = .use
  ) async throws -> any Session {
    try await #require(self.reactor(name)).session(id, for: intent).session
  }

  /// Sends an action like a client's request.
  func post(
    _ action: String, to id: String, of name: String = "counter", key: String? = nil,
    ifAt cursors: [Cursor]? = nil
  ) async throws -> ActionOutcome {
    let forwarded = await forward(action, to: id, of: name, key: key, ifAt: cursors)
    if let forwarded { return forwarded }
    let session = try await open(id, of: name)
    return try await withCheckedThrowingContinuation { continuation in
      do {
        try session.submit(
          Array(action.utf8), ifAt: cursors, key: key, for: nil, accepted: nil,
          completion: { continuation.resume(returning: $0) })
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}

extension Host {
  /// Sends an action to the node that owns the session, or returns `nil` if it is this one.
  func forward(
    _ action: String, to id: String, of name: String = "counter", key: String? = nil,
    ifAt cursors: [Cursor]? = nil
  ) async -> ActionOutcome? {
    guard let reactor = self.reactor(name) else { return nil }
    return await withCheckedContinuation { continuation in
      let isForwarded =
        reactor.liveSession(id) == nil
        && reactor.forward(
          to: id, Array(action.utf8), ifAt: cursors, key: key, for: nil, accepted: { _ in },
          completion: { continuation.resume(returning: $0) })
      if !isForwarded { continuation.resume(returning: nil) }
    }
  }
}

extension Host {
  /// Creates a session of the counter with the history of another one.
  func fork(_ source: String, to id: String) async throws -> any Session {
    try await #require(self.reactor("counter")).fork(source, at: nil, to: id).session
  }
}

extension ActionOutcome {
  /// The State of a committed outcome.
  var json: String? {
    switch self {
    case .committed(let state): String(decoding: state.json, as: UTF8.self)
    case .replayed(let outcome): outcome.json
    default: nil
    }
  }

  var version: Int? {
    switch self {
    case .committed(let state): state.version
    case .replayed(let outcome): outcome.version
    default: nil
    }
  }
}

import ReactorHost
import ReactorLog
import Synchronization
import Testing

@testable import ReactorCluster

/// `StateSource.observe(_:)` is called with locks held: it makes no callback.
struct ObservingTests {
  @TaskLocal fileprivate static var isObserving = false

  /// An observer that records callbacks from within the call that adds it.
  private final class Probe: SessionObserver {
    private let versions = Mutex<[Int]>([])
    private let nested = Atomic(0)
    private let ended = Atomic(false)

    /// The callbacks that `observe` has made.
    var nestedCount: Int { nested.load(ordering: .acquiring) }
    var last: Int? { versions.withLock { $0.last } }
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    func observe(_ source: any StateSource) -> CommittedState? {
      ObservingTests.$isObserving.withValue(true) { source.observe(self) }
    }

    func stopObserving(_ source: any StateSource) {
      ObservingTests.$isObserving.withValue(true) { source.stopObserving(self) }
    }

    func sessionDidCommit(_ state: CommittedState) {
      note()
      versions.withLock { $0.append(state.version) }
    }

    func sessionDidEnd(_ end: SessionEnd) {
      note()
      ended.store(true, ordering: .releasing)
    }

    private func note() {
      if ObservingTests.isObserving { nested.add(1, ordering: .acquiringAndReleasing) }
    }
  }

  private let key = SessionKey(reactor: "counter", id: "demo")

  /// A cluster of which the owner of the session ends, and the node that owns the session then.
  private struct Situation {
    let cluster: Cluster
    let owner: Cluster.Member
    let heir: Cluster.Member
    let copy: any Session

    init(_ key: SessionKey, _ cluster: Cluster) async throws {
      self.cluster = cluster
      let owner = try cluster.owner(of: key)
      let others = cluster.others(than: owner)
      let next = Placement.owner(of: key, among: others.map(\.node.node))
      self.owner = owner
      heir = try #require(others.first { $0.node.node == next })
      copy = try await heir.host.open(key.id)
    }

    /// Ends the owner, and waits until the heir knows.
    func endOwner(_ key: SessionKey) async throws {
      owner.kill()
      let isOwned = { [cluster, owner] (id: String) in
        let key = SessionKey(reactor: key.reactor, id: id)
        return try cluster.owner(of: key) === owner
      }
      let other = try (0...).lazy.map { "other\($0)" }.first(where: isOwned)
      _ = try await heir.host.post(#""increase""#, to: try #require(other))
    }
  }

  @Test func `a copy whose owner has left is observed without a callback`() async throws {
    let situation = try await Situation(key, try await Cluster())
    #expect(try await situation.owner.host.post(#""increase""#, to: key.id).version == 1)
    #expect(situation.copy.current.version == 0)
    try await situation.endOwner(key)
    let probe = Probe()
    #expect(probe.observe(situation.copy)?.version == 0)
    #expect(probe.nestedCount == 0)
    // The subscription is opened, and shows the version that the copy did not have.
    try await wait { probe.last == 1 }
  }

  @Test func `a copy whose session was deleted is observed without a callback`() async throws {
    let situation = try await Situation(key, try await Cluster())
    #expect(try await situation.owner.host.post(#""increase""#, to: key.id).version == 1)
    try await situation.owner.host.reactor("counter")?.endSession(key.id)
    try await situation.endOwner(key)
    let probe = Probe()
    #expect(probe.observe(situation.copy) != nil)
    #expect(probe.nestedCount == 0)
    try await wait { probe.hasEnded }
  }

  @Test func `a copy is observed without a callback while the store is not reachable`() async throws
  {
    let situation = try await Situation(key, try await Cluster())
    situation.heir.bus.isCut = true
    let probe = Probe()
    #expect(probe.observe(situation.copy) != nil)
    #expect(probe.nestedCount == 0)
    situation.heir.bus.isCut = false
    probe.stopObserving(situation.copy)
  }

  @Test func `the last of observers that come and go has a subscription, and none leaves one`()
    async throws
  {
    let cluster = try await Cluster()
    let owner = try cluster.owner(of: key)
    let copy = try await cluster.others(than: owner)[0].host.open(key.id)
    for _ in 0..<200 {
      let probe = Probe()
      #expect(probe.observe(copy) != nil)
      probe.stopObserving(copy)
    }
    let probe = Probe()
    #expect(probe.observe(copy) != nil)
    #expect(try await owner.host.post(#""increase""#, to: key.id).version == 1)
    try await wait { probe.last == 1 }
    probe.stopObserving(copy)
    let nodes = cluster.members.map(\.node)
    try await wait {
      nodes.allSatisfy { $0.state.withLock { $0.subscriptions.count == 0 } }
    }
  }
}

import ReactorCluster
import ReactorHost
import ReactorLog
import Testing

/// Sessions whose actions come from one node.
struct SessionMoveTests {
  private let key = SessionKey(reactor: "counter", id: "demo")

  @Test func `a session moves to the node that all its actions come from`() async throws {
    let cluster = try await Cluster()
    let owner = try cluster.owner(of: key)
    let (other, third) = (cluster.others(than: owner)[0], cluster.others(than: owner)[1])
    _ = try await other.host.post(#""increase""#, to: key.id, key: "k")
    var version = 1
    // The session stays while a thread still has a reference to it.
    while cluster.holders(of: key) != [other.node.node.name], version < 100_000 {
      version += 1
      #expect(try await other.host.post(#""increase""#, to: key.id).version == version)
    }
    #expect(version >= ClientAffinity.threshold)
    #expect(cluster.holders(of: key) == [other.node.node.name])
    #expect(await other.host.forward(#""increase""#, to: key.id) == nil)
    guard case .replayed = try await other.host.post(#""increase""#, to: key.id, key: "k") else {
      Issue.record("the new owner does not know the key")
      return
    }
    for member in [owner, third, other] {
      version += 1
      #expect(try await member.host.post(#""increase""#, to: key.id).version == version)
    }
    #expect(cluster.holders(of: key).count == 1)
  }

  @Test func `a session is in memory when its first request gets it`() async throws {
    let cluster = try await Cluster()
    let owner = try cluster.owner(of: key)
    let reactor = try #require(owner.host.reactor(key.reactor))
    let session = try await reactor.session(key.id, for: .use).session
    #expect(owner.node.holds(key))
    withExtendedLifetime(session) {}
  }

  @Test func `a session stays if its owner's clients use it, and if a stream shows it`()
    async throws
  {
    let cluster = try await Cluster()
    let owner = try cluster.owner(of: key)
    let other = cluster.others(than: owner)[0]
    for index in 0..<4 * ClientAffinity.threshold {
      let isOwners = index % (ClientAffinity.threshold / 2) == 0
      _ = try await (isOwners ? owner : other).host.post(#""increase""#, to: key.id)
    }
    #expect(cluster.holders(of: key) == [owner.node.node.name])
    let recorder = Recorder()
    try await recorder.observe(key.id, at: other.host)
    for _ in 0..<4 * ClientAffinity.threshold {
      _ = try await other.host.post(#""increase""#, to: key.id)
    }
    #expect(cluster.holders(of: key) == [owner.node.node.name])
    try await wait { recorder.last == 8 * ClientAffinity.threshold }
    #expect(recorder.isAscending)
  }
}

import ReactorCluster
import ReactorHost
import ReactorLog
import Testing

/// Forks whose source has another owner than their id.
struct ForkTests {
  @Test func `a fork replaces the session of its id that another node has in memory only`()
    async throws
  {
    let cluster = try await Cluster()
    let source = SessionKey(reactor: "counter", id: "source")
    let owner = try cluster.owner(of: source)
    let target = try #require(
      (0..<64).map { SessionKey(reactor: "counter", id: "t\($0)") }.first {
        try cluster.owner(of: $0) !== owner
      })
    let holder = try cluster.owner(of: target)
    for _ in 0..<3 { _ = try await owner.host.post(#""increase""#, to: source.id) }
    #expect(try await holder.host.open(target.id).current.version == 0)
    #expect(cluster.holders(of: target) == [holder.node.node.name])
    _ = try await owner.host.fork(source.id, to: target.id)
    try await wait { !holder.node.holds(target) }
    for member in cluster.members {
      #expect(try await member.host.open(target.id).current.version == 3)
    }
  }
}

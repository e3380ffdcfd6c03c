@testable import ReactorCluster
import ReactorHost
import ReactorLog
import Testing

/// A session that two nodes have in memory, because one has not received the claim of the other.
struct StaleCopyTests {
  private let key = SessionKey(reactor: "counter", id: "demo")

  /// The node that has marked the owner as failed forgets that when it joins again itself, so that the
  /// owner is not expelled.
  @Test func `an owner that received no claim closes its copy after a reminder`() async throws {
    let cluster = try await Cluster(["n1", "n2"], settings: .repeating)
    let owner = try cluster.owner(of: key)
    let other = cluster.others(than: owner)[0]
    _ = try await owner.host.post(#""increase""#, to: key.id)
    let before = owner.node.node
    owner.bus.isCut = true
    #expect(try await other.host.post(#""increase""#, to: key.id).version == 2)
    other.node.didReceive(message: NodeMessage.expelled(other.node.node).bytes)
    owner.bus.isCut = false
    try await wait {
      let session = owner.host.reactor("counter")?.liveSession(key.id)
      return session.map { $0.current.version == 2 } ?? true
    }
    #expect(owner.node.node == before)
    let session = try await owner.host.open(key.id)
    #expect(session.current.version == 2)
  }

  @Test func `an owner whose session was continued by a node that has failed closes its copy`()
    async throws
  {
    let cluster = try await Cluster(["n1", "n2"], settings: .suspicious)
    let owner = try cluster.owner(of: key)
    let other = cluster.others(than: owner)[0]
    _ = try await owner.host.post(#""increase""#, to: key.id)
    owner.bus.isCut = true
    #expect(try await other.host.post(#""increase""#, to: key.id).version == 2)
    other.kill()
    owner.bus.isCut = false
    try await wait {
      let session = owner.host.reactor("counter")?.liveSession(key.id)
      return session.map { $0.current.version == 2 } ?? true
    }
  }

  @Test func `a repetition at a copy that is behind gets the State of its own action`() async throws
  {
    let cluster = try await Cluster(["n1", "n2"], settings: .repeating)
    let owner = try cluster.owner(of: key)
    let other = cluster.others(than: owner)[0]
    _ = try await owner.host.post(#""increase""#, to: key.id)
    let copy = try #require(owner.host.reactor("counter")?.liveSession(key.id))
    owner.bus.isCut = true
    #expect(try await other.host.post(#""increase""#, to: key.id, key: "k").version == 2)
    // The request is in the mailbox of the copy before a claim of the other node arrives.
    owner.bus.isCut = false
    let outcome = await withCheckedContinuation { continuation in
      do {
        try copy.submit(
          Array(#""increase""#.utf8), ifAt: nil, key: "k", for: nil, accepted: nil,
          completion: { continuation.resume(returning: $0) })
      } catch {
        Issue.record(error)
        continuation.resume(returning: .ended)
      }
    }
    #expect(outcome.version == 2, "\(outcome)")
    #expect(outcome.json == #"{"value":2}"#)
  }

  @Test func `an owner that the log confirms keeps its session`() async throws {
    let cluster = try await Cluster(["n1", "n2"], settings: .repeating)
    let owner = try cluster.owner(of: key)
    let other = cluster.others(than: owner)[0]
    _ = try await owner.host.post(#""increase""#, to: key.id)
    // The log confirms the owner, which keeps the session, although the other node claims it.
    let message = NodeMessage.claims([key], by: other.node.node, isReply: false)
    owner.node.didReceive(message: message.bytes)
    #expect(cluster.holders(of: key) == [owner.node.node.name])
    #expect(try await other.host.post(#""increase""#, to: key.id).version == 2)
    #expect(cluster.holders(of: key) == [owner.node.node.name])
  }
}

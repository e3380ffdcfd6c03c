import ReactorCluster
import ReactorHost
import ReactorLog
import Testing

/// Requests of a node whose outcome at the owner does not reach it.
struct LostReplyTests {
  /// A request that creates a session at another node.
  enum Creation: CaseIterable {
    case creation, fork
  }

  @Test func `the outcome of an accepted action that cannot be requested is unknown`() async throws
  {
    let cluster = try await Cluster()
    let slow = SessionKey(reactor: "slow", id: "demo")
    let edge = cluster.others(than: try cluster.owner(of: slow))[0]
    let reactor = try #require(edge.host.reactor(slow.reactor))
    let outcome = await withCheckedContinuation { continuation in
      let isForwarded = reactor.forward(
        to: slow.id, Array(#"{"addLater":2}"#.utf8), ifAt: nil, key: nil, for: nil,
        accepted: { _ in edge.bus.isCut = true },
        completion: { continuation.resume(returning: $0) })
      #expect(isForwarded)
    }
    guard case .notCommitted(.unknown) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test(arguments: Creation.allCases)
  func `a session that may be that of an earlier delivery is no session of another request`(
    _ creation: Creation
  ) async throws {
    let cluster = try await Cluster(["n1", "n2"])
    let source = SessionKey(reactor: "counter", id: "source")
    let owner = try cluster.owner(of: source)
    let edge = cluster.others(than: owner)[0]
    _ = try await owner.host.post(#""increase""#, to: source.id)
    edge.bus.loseReply(to: .call)
    await #expect(throws: SessionError.log(.unknown)) {
      switch creation {
      case .creation:
        let id = try #require(
          (0..<64).map { "s\($0)" }.first {
            try cluster.owner(of: SessionKey(reactor: "counter", id: $0)) === owner
          })
        _ = try await edge.host.open(id, for: .create)
      case .fork: _ = try await edge.host.fork(source.id, to: "target")
      }
    }
  }
}

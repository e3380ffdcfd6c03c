import ReactorCluster
import ReactorHost
import ReactorLog
import Testing

/// Requests of a node whose outcome at the owner does not reach it.
struct LostReplyTests {
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
}

import ReactorHost
import ReactorLog
import Testing

/// The lists of a session that another node owns.
struct RemoteListTests {
  @Test func `effects are listed at any node`() async throws {
    let cluster = try await Cluster()
    let slow = SessionKey(reactor: "slow", id: "demo")
    let owner = try cluster.owner(of: slow)
    let session = try await cluster.others(than: owner)[0].host.open(slow.id, of: "slow")
    for number in 1...3 {
      try session.submit(
        Array(#"{"addLater":\#(number)}"#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil
      ) { _ in }
    }
    try await wait { owner.host.reactor("slow")?.liveSession(slow.id)?.activity.running == 3 }
    for limit in [2, 10] {
      let effects = await withCheckedContinuation { continuation in
        session.effects(after: nil, limit: limit) { continuation.resume(returning: $0) }
      }
      let actions = effects?.map { String(decoding: $0.action ?? [], as: UTF8.self) }
      #expect(actions == (1...min(3, limit)).map { #"{"addLater":\#($0)}"# })
    }
  }
}

import Foundation
import PublicTestData
import ReactorClient
import Testing

/// The Swift client with tokens that expire.
@Suite(
  .blocking, .enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
struct SwiftClientTokenTests {
  @Test func `tokens are renewed before their expiry, and neither States nor actions are lost`()
    async throws
  {
    let folder = try TemporaryFolder()
    let provider = try IdentityProvider()
    try provider.keys().write(toFile: folder["keys.json"], atomically: true, encoding: .utf8)
    // The service accepts an expired token for 30 s, so that a stall of the machine ends neither an action nor
    // the stream. The client renews the token by its expiry.
    let server = try ReactordProcess(
      "--auth-jwt-keys", folder["keys.json"], "--auth-jwt-audience", "cart", "--auth-rules",
      #"[{"allow":"manage","to":"counter/{sub}"}]"#, "--log-access", "info")
    let calls = Watched(0)
    let client = try server.swiftClient { () async throws -> String in
      calls.change { $0 += 1 }
      return try provider.token("sub=ada&exp=3")
    }
    let counter = client.reactor(RemoteCounter.self, "counter", session: "ada")
    let states = Recorder(counter.state)
    let connection = Recorder(counter.connection)
    var count = 0
    while calls.current < 4 {
      count += 1
      #expect(try await counter.send(.increase).value == count)
    }
    try states.last { $0.value == count }
    #expect(states.all.map(\.value) == states.all.map(\.value).sorted())
    #expect(!connection.all.contains { if case .ended = $0 { true } else { false } })
    // The first stream continues with the new tokens.
    #expect(
      eventually { server.standardError.contains("route=/v1/streams/{stream}/credential") })
  }
}

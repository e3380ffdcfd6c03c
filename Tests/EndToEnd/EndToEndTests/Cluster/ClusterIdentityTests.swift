import Foundation
import Glibc
import PublicTestData
import Testing

/// Users and rights on several nodes: each node checks its own clients, and the owner of a session stores
/// their names.
@Suite(
  .blocking, .enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
struct ClusterIdentityTests {
  private static let operations = "operations-of-the-cluster".asBearer

  private let folder: TemporaryFolder
  private let provider: IdentityProvider
  private let cluster: NodeCluster
  private let sessions: [SessionClient]

  init() throws {
    folder = try TemporaryFolder()
    provider = try IdentityProvider()
    try provider.keys().write(toFile: folder["keys.json"], atomically: true, encoding: .utf8)
    try "operations-of-the-cluster read\n".write(
      toFile: folder["tokens"], atomically: true, encoding: .utf8)
    try String(repeating: "s", count: 32).write(
      toFile: folder["secret"], atomically: true, encoding: .utf8)
    cluster = try NodeCluster(
      [
        "--auth-jwt-keys", folder["keys.json"], "--auth-jwt-audience", "cart",
        "--auth-tokens", folder["tokens"], "--auth-secret", folder["secret"], "--auth-rules",
        #"[{"allow":"manage","to":"counter/{sub}"}]"#,
      ], credential: Self.operations)
    sessions = cluster.clients(of: "counter", "ada")
  }

  /// The clients of the nodes that do not have the session in memory.
  private func others() throws -> [SessionClient] {
    let owner = try cluster.owner()
    return sessions.indices.filter { $0 != owner }.map { sessions[$0] }
  }

  @Test func `the rights of a user hold at each node, and the log of each has the name`() throws {
    let ada = try provider.token("sub=ada").asBearer
    let eve = try provider.token("sub=eve").asBearer
    for (index, session) in sessions.enumerated() {
      #expect(try session.post(#""increase""#, ada).json == ["value": .number(Double(index + 1))])
    }
    for session in sessions {
      try expectProblem(try session.post(#""increase""#, eve), 403, "forbidden")
      try expectProblem(try session.state("", eve), 403, "forbidden")
      #expect(try session.events("", eve).head.status == 403)
      #expect(try session.client.get(session.siblings, eve).text == #"{"sessions":[]}"#)
      try expectProblem(try session.post(#""increase""#), 401, "unauthorized")
      let names = try session.log("", ada).json.array?.map { $0["by"]?.string }
      #expect(names == ["ada", "ada", "ada"])
    }
  }

  @Test func `a ticket of one node opens one stream at each other one`() throws {
    let ada = try provider.token("sub=ada").asBearer
    #expect(try sessions[0].post(#""increase""#, ada).status == 200)
    let response = try sessions[0].client.send("POST", "/v1/tickets", ada)
    let ticket = try #require(response.json["ticket"]?.string)
    for session in sessions {
      let stream = try session.events("?ticket=\(ticket)")
      #expect(stream.head.status == 200)
      #expect(try stream.nextEvent()?.json == ["value": 1])
      // A ticket is valid once per node.
      #expect(try session.events("?ticket=\(ticket)").head.status == 401)
    }
  }

  @Test func `a stream ends with its credential at a node that does not own the session`() throws {
    #expect(
      try sessions[0].post(#""increase""#, provider.token("sub=ada").asBearer).status == 200)
    let other = try others()[0]
    let (token, streams) = try provider.streams(of: other, with: "sub=ada")
    for stream in streams {
      var last: ServerSentEvent?
      while let event = try stream.nextEvent() { last = event }
      #expect(last?.event == "expired")
    }
    try expectProblem(try other.state("", token), 401, "unauthorized")
  }

  @Test func `each node reads its keys again, and streams of a removed key end at each`() throws {
    let first = try provider.token("sub=ada").asBearer
    #expect(try sessions[0].post(#""increase""#, first).status == 200)
    let streams = try sessions.map { try $0.events("", first) }
    for stream in streams { #expect(try stream.nextEvent()?.json == ["value": 1]) }
    try provider.rotate()
    try provider.retire()
    try provider.keys().write(toFile: folder["keys.json"], atomically: true, encoding: .utf8)
    let next = try provider.token("sub=ada").asBearer
    for (session, stream) in zip(sessions, streams) {
      var last: ServerSentEvent?
      while let event = try stream.nextEvent() { last = event }
      #expect(last?.event == "expired")
      try expectProblem(try session.state("", first), 401, "unauthorized")
      #expect(try eventually { try session.state("", next).status == 200 })
    }
  }

  @Test func `a revocation at one node ends streams and requests at each`()
    throws
  {
    let ada = try provider.token("sub=ada").asBearer
    let staff = try provider.token("sub=root&scope=reactord:admin").asBearer
    #expect(try sessions[0].post(#""increase""#, ada).status == 200)
    let streams = try sessions.map { try $0.events("", ada) }
    for stream in streams { #expect(try stream.nextEvent()?.json == ["value": 1]) }
    let revoked = try sessions[0].client.send(
      "POST", "/v1/revocations", staff.merging(["Content-Type": "application/json"]) { $1 },
      body: Array(#"{"sub":"ada"}"#.utf8))
    #expect(revoked.status == 201, "\(revoked.text)")
    for (session, stream) in zip(sessions, streams) {
      var last: ServerSentEvent?
      while let event = try stream.nextEvent() { last = event }
      #expect(last?.event == "expired")
      #expect(try eventually { try session.state("", ada).status == 401 })
    }
  }

  @Test func `limits.sessions counts per node, whichever node owns the sessions`() throws {
    let rule = #"[{"allow":"manage","to":"counter/*"}]"#
    let limited = try NodeCluster(
      [
        "--auth-jwt-keys", folder["keys.json"], "--auth-jwt-audience", "cart", "--auth-tokens",
        folder["tokens"], "--auth-rules", rule, "--limits-sessions", "2",
      ], count: 2, credential: Self.operations)
    let ada = try provider.token("sub=ada").asBearer
    for (index, node) in limited.nodes.enumerated() {
      let path = "/v1/reactors/counter/sessions/\(index)-"
      for number in 0..<2 {
        let created = try node.client().send("PUT", path + "\(number)", ada)
        #expect(created.status == 201, "\(created.text)")
      }
      let rejected = try node.client().send("PUT", path + "2", ada)
      try expectProblem(rejected, 429, "rate-limited")
      #expect(rejected["Retry-After"] != nil)
      // Opening an existing session, which the other node can own, does not count against the
      // limit.
      #expect(try node.client().send("PUT", path + "0", ada).status == 200)
    }
  }
}

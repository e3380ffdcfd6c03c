import Foundation
import Testing

/// `auth.tokens`: 401 and 403.
@Suite(.blocking)
struct TokenTests {
  let server: ReactordProcess
  let session: SessionClient
  private let folder = try? TemporaryFolder()
  private let reader = ["Authorization": "Bearer reader-of-everything"]
  private let writer = ["Authorization": "Bearer writer-of-the-counter"]

  init() throws {
    let file = try #require(folder).path + "/tokens"
    let text = "reader-of-everything read\nwriter-of-the-counter write counter\n"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    server = try ReactordProcess("--auth-tokens", file, "--auth-query", "true")
    session = server.session(of: "counter")
  }

  @Test func `a missing or invalid token is 401 unauthorized`() throws {
    let missing = try session.state()
    try expectProblem(missing, 401, "unauthorized")
    #expect(missing["WWW-Authenticate"] == #"Bearer realm="reactord""#)
    let wrong = try session.state("", ["Authorization": "Bearer the-token-of-another-file"])
    try expectProblem(wrong, 401, "unauthorized")
    #expect(wrong["WWW-Authenticate"]?.contains(#"error="invalid_token""#) == true)
    try expectProblem(try session.post(#""increase""#), 401, "unauthorized")
    try expectProblem(try session.client.get("/metrics"), 401, "unauthorized")
  }

  @Test func `denied requests are logged with their reference, within the quota of the client`()
    throws
  {
    let begun = ContinuousClock.now
    for number in 0..<200 {
      let denied = try session.post(
        #""increase""#, reader.merging(["X-Request-Id": "denied-\(number)"]) { $1 })
      try expectProblem(denied, 403, "forbidden")
    }
    #expect(eventually { server.standardError.contains("access denied") })
    let lines = server.standardError.split(separator: "\n").filter {
      $0.contains("access denied")
    }
    // The clock of the test includes all requests, however slow the machine is.
    let seconds = Int((ContinuousClock.now - begun) / .seconds(1)) + 1
    #expect(lines.count <= 10 * (seconds + 1))
    let line = try #require(lines.first)
    for text in ["denied-0", "act", "counter/\(session.id)"] {
      #expect(line.contains(text), "\(line)")
    }
  }

  @Test func `the commands take a token from the environment or a file, which can change`() throws {
    let url = server.url + session.path
    let refused = try ReactordProcess.launch(["send", url, "increase"])
    #expect(try refused.wait() == .code(1))
    #expect(refused.standardError.contains("token"))
    let environment = ["REACTORD_TOKEN": "writer-of-the-counter"]
    let sent = try ReactordProcess.launch(["send", url, "increase"], environment: environment)
    #expect(try sent.wait() == .code(0))
    #expect(sent.standardOutput == "{\"value\":1}\n")

    let file = try #require(folder)["token"]
    try "no-token-of-this-service\n".write(toFile: file, atomically: true, encoding: .utf8)
    let rejected = try ReactordProcess.launch(["watch", url, "--token", file])
    #expect(try rejected.wait() == .code(1))
    try "writer-of-the-counter\n".write(toFile: file, atomically: true, encoding: .utf8)
    let watch = try ReactordProcess.launch(["watch", "--json", url, "--token", file])
    let first = "{\"value\":1}\n"
    #expect(eventually { watch.standardOutput == first })
    let missing = try ReactordProcess.launch(["send", url, "increase", "--token", file + ".none"])
    #expect(try missing.wait() == .code(66))
    watch.kill()
    try watch.wait()
  }

  @Test func `a token without the right is 403 forbidden`() throws {
    let response = try session.post(#""increase""#, reader)
    try expectProblem(response, 403, "forbidden")
    #expect(response["WWW-Authenticate"]?.contains(#"error="insufficient_scope""#) == true)
    #expect(try session.state("", reader).cursor?.version == 0)
    let effects = session.path + "/effects"
    try expectProblem(
      try session.client.send("DELETE", effects + "/x", reader), 403, "forbidden")
    #expect(try session.client.send("DELETE", effects + "/x", writer).status == 204)
    #expect(try session.client.get(effects, reader).status == 200)
    let other = server.session(of: "weather")
    try expectProblem(try session.client.get(other.path + "/effects", writer), 403, "forbidden")
    try expectProblem(try other.state("", writer), 403, "forbidden")
  }

  /// Returns the statuses of the responses to several simultaneous failed authentications.
  private func statuses(_ count: Int, body: Bool) throws -> [Int] {
    try concurrently(count) { [server] _ in
      let client = server.client()
      let path = "/v1/reactors/counter/sessions/slow/" + (body ? "actions" : "state")
      let token = ["Authorization": "Bearer the-token-of-another-file"]
      let response =
        body ? try client.send("POST", path, token, json: "1") : try client.get(path, token)
      guard response.status == 429 else {
        try expectProblem(response, 401, "unauthorized")
        return response.status
      }
      try expectProblem(response, 429, "rate-limited")
      #expect(response["Retry-After"] == "1")
      return response.status
    }
  }

  @Test(arguments: [true, false])
  func `credentials above a rate of failed authentications are not verified`(body: Bool) throws {
    // Repeat the attempt: on a busy machine, the requests can arrive at less than the limited rate.
    let isLimited = try (0..<5).contains { _ in
      try statuses(40, body: body).contains(429)
    }
    #expect(isLimited)
    #expect(eventually { server.standardError.contains("authentication failed") })
    #expect(!server.standardError.contains("the-token-of-another-file"))
    #expect(eventually { (try? session.state("", reader).status) == 200 })
  }

  @Test func `a token with the right is served`() throws {
    #expect(try session.post(#""increase""#, writer).status == 200)
    #expect(try session.state("", reader).text == #"{"value":1}"#)
    #expect(try session.client.get("/metrics", reader).status == 200)
  }

  @Test func `addresses without data need no token`() throws {
    for path in ["/healthz", "/readyz", "/", "/problems/unauthorized"] {
      #expect(try session.client.get(path).status == 200)
    }
    #expect(try session.client.send("OPTIONS", session.path).status == 204)
  }

  @Test func `an EventSource sends its token in the query`() throws {
    #expect(try session.events().head.status == 401)
    let stream = try session.events("?access_token=reader-of-everything")
    #expect(stream.head.status == 200)
    #expect(try stream.nextEvent()?.data == #"{"value":0}"#)
    #expect(try session.state("?access_token=reader-of-everything").status == 401)
  }

  @Test func `an unreadable token file prevents the start`() throws {
    let file = try #require(folder).path + "/wrong"
    try "a-token-without-a-right\n".write(toFile: file, atomically: true, encoding: .utf8)
    let unknown = try #require(folder).path + "/unknown"
    try "a-token-without-a-host read counter,nothing\n".write(
      toFile: unknown, atomically: true, encoding: .utf8)
    for path in [file, unknown, "/nonexistent/tokens"] {
      let process = try ReactordProcess.launch(
        ["serve", "--store", "memory", "--listen", "127.0.0.1:0", "--auth-tokens", path])
      #expect(try process.wait() == .code(78))
      #expect(process.standardError.contains("auth.tokens"))
      #expect(!process.standardError.contains("a-token-without"))
    }
  }
}

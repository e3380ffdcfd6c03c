import Testing

/// `limits.rate`: requests per second and address.
@Suite(.blocking)
struct RateTests {
  /// Sends requests until one of them is rejected, and returns the responses.
  ///
  /// A fixed number of requests could take so long that the rate is not exceeded.
  private func responses(
    _ client: HTTPClient, _ headers: (_ number: Int) -> [String: String] = { _ in [:] }
  ) throws -> [HTTPResponse] {
    var responses: [HTTPResponse] = []
    while responses.last?.status != 429, responses.count < 100_000 {
      responses.append(try client.get("/v1/reactors", headers(responses.count)))
    }
    return responses
  }

  @Test func `more requests than the rate allows are 429 rate-limited`() throws {
    let server = try ReactordProcess("--limits-rate", "5")
    let client = server.client()
    let responses = try responses(client)
    let response = try #require(responses.last)
    try expectProblem(response, 429, "rate-limited")
    #expect(response["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
    #expect(response["RateLimit-Policy"] == #""address";q=5;w=1"#)
    #expect(response["RateLimit"]?.hasPrefix(#""address";r=0;t="#) == true)
    // The first requests were served, and their responses contain the number of remaining requests.
    #expect(responses[0].status == 200)
    #expect(responses[0]["RateLimit"]?.hasPrefix(#""address";r=4;"#) == true)
    // The rate recovers with time.
    #expect(eventually { (try? client.get("/v1/reactors").status) == 200 })
    let figures = try eventually { try client.get("/metrics").text.contains("rate_limited_total") }
    #expect(figures)
  }

  @Test func `health checks are not limited`() throws {
    let server = try ReactordProcess("--limits-rate", "1")
    let client = server.client()
    for _ in 0..<30 {
      #expect(try client.get("/healthz").status == 200)
      #expect(try client.get("/readyz").status == 200)
    }
  }

  @Test func `the clients of a trusted proxy are counted separately`() throws {
    let server = try ReactordProcess("--limits-rate", "1", "--http-proxies", "127.0.0.0/8")
    let client = server.client()
    for number in 0..<30 {
      let response = try client.get("/v1/reactors", ["X-Forwarded-For": "192.0.2.\(number)"])
      #expect(response.status == 200)
    }
    let responses = try responses(client) { _ in ["X-Forwarded-For": "198.51.100.1"] }
    #expect(responses.last?.status == 429)
  }

  @Test(arguments: [
    ("x-forwarded-for", ["X-Forwarded-For": "198.51.100.1"], "Forwarded"),
    ("forwarded", ["Forwarded": "for=198.51.100.1"], "X-Forwarded-For"),
  ])
  func `a field that the proxy does not write evades no rate`(
    believed: String, stated: [String: String], passed: String
  ) throws {
    let server = try ReactordProcess(
      "--limits-rate", "1", "--http-proxies", "127.0.0.0/8", "--http-forwarded", believed)
    let client = server.client()
    let responses = try responses(client) { number in
      let address = (passed == "Forwarded" ? "for=" : "") + "192.0.2.\(number % 256)"
      return stated.merging([passed: address]) { $1 }
    }
    #expect(responses.last?.status == 429)
  }

  @Test func `forwarding fields of other clients are ignored`() throws {
    let server = try ReactordProcess("--limits-rate", "1")
    let client = server.client()
    let responses = try responses(client) { ["X-Forwarded-For": "192.0.2.\($0 % 256)"] }
    #expect(responses.last?.status == 429)
  }

  @Test func `without a rate there are no rate fields`() throws {
    let response = try ReactordProcess.shared.get().client().get("/v1/reactors")
    #expect(response["RateLimit"] == nil)
    #expect(response["RateLimit-Policy"] == nil)
  }
}

import Testing

/// `limits.rate`: requests per second and address.
@Suite(.blocking)
struct RateTests {
  private func refused(_ answers: [HTTPAnswer]) -> [HTTPAnswer] {
    answers.filter { $0.status == 429 }
  }

  @Test func `more requests than the rate allows are 429 rate-limited`() throws {
    let server = try ReactordProcess("--limits-rate", "5")
    let client = server.client()
    let answers = try (0..<60).map { _ in try client.get("/v1/reactors") }
    let answer = try #require(refused(answers).first)
    try expectProblem(answer, 429, "rate-limited")
    #expect(answer["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
    #expect(answer["RateLimit-Policy"] == #""address";q=5;w=1"#)
    #expect(answer["RateLimit"]?.hasPrefix(#""address";r=0;t="#) == true)
    // The first ones were served, and had the remaining number.
    #expect(answers[0].status == 200)
    #expect(answers[0]["RateLimit"]?.hasPrefix(#""address";r=4;"#) == true)
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
      let answer = try client.get("/v1/reactors", ["X-Forwarded-For": "192.0.2.\(number)"])
      #expect(answer.status == 200)
    }
    let answers = try (0..<30).map { _ in
      try client.get("/v1/reactors", ["X-Forwarded-For": "198.51.100.1"])
    }
    #expect(!refused(answers).isEmpty)
  }

  @Test func `forwarding fields of other clients are ignored`() throws {
    let server = try ReactordProcess("--limits-rate", "1")
    let client = server.client()
    let answers = try (0..<30).map { number in
      try client.get("/v1/reactors", ["X-Forwarded-For": "192.0.2.\(number)"])
    }
    #expect(!refused(answers).isEmpty)
  }

  @Test func `without a rate there are no rate fields`() throws {
    let answer = try ReactordProcess.shared.get().client().get("/v1/reactors")
    #expect(answer["RateLimit"] == nil)
    #expect(answer["RateLimit-Policy"] == nil)
  }
}

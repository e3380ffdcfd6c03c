import Testing

/// `GET /metrics`.
@Suite(.blocking)
struct MetricsTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess()
    session = server.session(of: "counter")
  }

  private func metrics() throws -> MetricsReading { try MetricsReading(session.client) }

  @Test func `GET metrics responds in the text format of Prometheus`() throws {
    let response = try session.client.get("/metrics")
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    #expect(response.text.hasSuffix("\n"))
  }

  @Test func `Prometheus' own Accept is served`() throws {
    let accept = """
      application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1
      """
    #expect(try session.client.get("/metrics", ["Accept": accept]).status == 200)
  }

  @Test func `requests are counted by route, method and status`() throws {
    try session.post(#""increase""#)
    try session.post(#""jump""#)
    _ = try session.client.get("/nothing")
    _ = try session.client.send("BREW", "/v1/reactors", body: [])
    let actions = "/v1/reactors/{reactor}/sessions/{session}/actions"
    let metrics = try metrics()
    func count(_ route: String, _ method: String, _ status: Int) -> Double? {
      metrics[
        #"reactord_http_requests_total{route="\#(route)",method="\#(method)",status="\#(status)"}"#]
    }
    #expect(count(actions, "POST", 200) == 1)
    #expect(count(actions, "POST", 422) == 1)
    #expect(count("none", "GET", 404) == 1)
    #expect(count("/v1/reactors", "other", 405) == 1)
    #expect(metrics[#"reactord_problems_total{type="invalid-action"}"#] == 1)
  }

  @Test func `the time of requests is recorded by route`() throws {
    for _ in 1...3 { try session.post(#""increase""#) }
    let metrics = try metrics()
    let actions = #"route="/v1/reactors/{reactor}/sessions/{session}/actions""#
    let name = "reactord_http_request_duration_seconds"
    #expect(metrics["\(name)_count{\(actions)}"] == 3)
    #expect(metrics[#"\#(name)_bucket{\#(actions),le="+Inf"}"#] == 3)
    #expect(metrics["\(name)_sum{\(actions)}"] ?? 0 > 0)
    // Routes without a request have no samples.
    #expect(metrics[#"\#(name)_count{route="/openapi.json"}"#] == nil)
  }

  @Test func `actions, mutations and commits are counted by reactor`() throws {
    try session.post(#"["increase",{"add":5},"decrease"]"#)
    let metrics = try metrics()
    #expect(metrics[#"reactord_actions_total{reactor="counter"}"#] == 3)
    #expect(metrics[#"reactord_mutations_total{reactor="counter"}"#] == 3)
    #expect(metrics[#"reactord_commit_mutations_sum{reactor="counter"}"#] == 3)
    let times = metrics[#"reactord_commit_duration_seconds_count{reactor="counter"}"#]
    #expect(times == metrics[#"reactord_commit_mutations_count{reactor="counter"}"#])
    #expect(metrics[#"reactord_sessions{reactor="counter"}"#] == 1)
  }

  @Test func `running effects and failed ones are counted`() throws {
    let stopwatch = server.session(of: "stopwatch")
    try stopwatch.post(#""start""#, ["Prefer": "respond-async"])
    #expect(
      try eventually { try metrics()[#"reactord_effects_running{reactor="stopwatch"}"#] == 1 })
    let weather = server.session(of: "weather")
    let failed = try weather.post(#"{"search":"Atlantis"}"#)
    let failures = try metrics()[
      #"reactord_effect_failures_total{reactor="weather",stage="mutate"}"#]
    #expect(failures == (failed.status >= 400 ? 1 : 0))
  }

  @Test func `subscribers and deliveries are counted`() throws {
    let stream = try session.events()
    _ = try stream.nextEvent()
    try session.post(#""increase""#)
    _ = try stream.nextEvent()
    let metrics = try metrics()
    #expect(metrics[#"reactord_subscribers{reactor="counter"}"#] == 1)
    #expect(metrics["reactord_streams"] == 1)
    #expect(metrics["reactord_stream_deliveries_total"] ?? 0 >= 1)
    #expect(metrics["reactord_stream_conflations_total"] == 0)
  }

  @Test func `the process reports its memory, descriptors and start`() throws {
    let metrics = try metrics()
    #expect(metrics["process_resident_memory_bytes"] ?? 0 > 1_000_000)
    #expect(metrics["process_open_fds"] ?? 0 > 3)
    #expect(metrics["process_start_time_seconds"] ?? 0 > 1_700_000_000)
    #expect(metrics["reactord_http_connections"] == 1)
  }
}

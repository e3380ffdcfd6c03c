import Testing

/// The share of an address, which does not apply to loopback addresses.
@Suite(
  .blocking,
  .enabled(if: NetworkAddress.first != nil, "this machine has loopback addresses only"))
struct AddressShareTests {
  @Test func `an address has a quarter of all connections, and others are served`() throws {
    // 600 files: 16 for reserved connections, 128 for the service, 256 for ended connections.
    let server = try ReactordProcess(
      ["--store", "memory", "--listen", "0.0.0.0:0"],
      under: ["/usr/bin/prlimit", "--nofile=600:600"])
    let address = try #require(NetworkAddress.first)
    func client() -> HTTPClient { HTTPClient(port: server.port, at: address) }
    let session = SessionClient(client(), "/v1/reactors/counter/sessions/shared")
    let streams = try (0..<((600 - 16 - 128 - 256) / 4)).map { _ in try session.events() }
    for stream in streams { #expect(try stream.nextEvent()?.data == #"{"value":0}"#) }

    let rejected = try client().get("/healthz")
    let problem = try expectProblem(rejected, 429, "rate-limited")
    #expect(problem["detail"]?.string?.contains("a quarter of all") == true)
    #expect(rejected["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
    let other = server.client()
    #expect(try other.get("/readyz").status == 200)
    let figures = try other.get("/metrics").text
    #expect(figures.contains("reactord_http_connections_refused_total 1\n"))

    streams.last?.abort()
    #expect(eventually { (try? client().get("/healthz").status) == 200 })
    withExtendedLifetime(streams) {}
  }
}

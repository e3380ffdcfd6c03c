import Testing

/// The resident memory of the service after a burst.
@Suite(.blocking, .enabled(if: !Sanitizer.isUsed))
struct BurstMemoryTests {
  @Test func `memory that a burst of large requests has used is returned to the system`() throws {
    let server = try ReactordProcess("--store", "memory")
    func residentBytes() throws -> Int { try ProcessFigures(of: server.process).residentBytes }
    let client = server.client()
    let paths = (0..<600).map { "/v1/reactors/auction/sessions/burst-\($0)" }
    let item = String(repeating: "a", count: 60_000)
    let body = #"{"parameters":{"item":"\#(item)","endsAt":"2100-01-01T00:00:00Z"}}"#
    let before = try residentBytes()
    for path in paths { #expect(try client.send("PUT", path, json: body).status == 201) }
    let growth = try residentBytes() - before
    #expect(growth > 80 << 20)
    for path in paths { #expect(try client.send("DELETE", path).status == 204) }
    // The allocator retains most of the freed memory. The service checks its memory every 30 s, and
    // less often after a check that has returned nothing, like one during the burst.
    let isReturned = try (0..<5).contains { _ in
      try eventually { try residentBytes() - before < growth / 3 }
    }
    #expect(isReturned)
  }
}

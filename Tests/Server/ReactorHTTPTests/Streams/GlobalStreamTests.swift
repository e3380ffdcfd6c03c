import ReactorTransport
import ReactorHost
import Testing

@testable import ReactorHTTP

/// `GET /v1/globals/{name}/events`: the same rules for a value that all sessions share.
struct GlobalStreamTests {
  private let service = Service(settings: { $0.limits.streamBuffer = 4 })
  private let address = "/v1/globals/motto/events"

  private func set(_ json: String) throws {
    #expect(try service.ask("PUT", "/v1/globals/motto", body: json).status == 200)
  }

  private func cursor() throws -> String {
    let tag = try service.ask("GET", "/v1/globals/motto")[field: "ETag"] ?? ""
    return String(tag.dropFirst().dropLast())
  }

  @Test func `the value is sent at once, then each new one`() throws {
    let reader = try service.open(address)
    #expect(reader.read() == ["retry", "0 null"])
    try set(#""carpe diem""#)
    try set(#""festina lente""#)
    #expect(reader.read() == [#"1 "carpe diem""#, #"2 "festina lente""#])
    reader.close()
    #expect(service.api.channels.streamCount == 0)
  }

  @Test func `a reconnecting client gets the missed value, or a comment`() throws {
    let first = try cursor()
    try set(#""a""#)
    #expect(
      try service.open(address, [(.lastEventID, try cursor())]).read() == ["retry", ": current"])
    #expect(try service.open(address, [(.lastEventID, first)]).read() == ["retry", #"1 "a""#])
    #expect(
      try service.open(address + "?last_event_id=x").read() == ["retry", "reset {}", #"1 "a""#])
  }

  @Test func `a slow subscriber skips to the latest value`() throws {
    let reader = try service.open(address).skipOpening()
    for number in 0..<10 { try set("\"\(number)\"") }
    #expect(reader.read() == [#"10 "9""#])
  }

  @Test func `patches and parts work for globals`() throws {
    let patches = try service.open(address + "?delta=patch")
    let part = try service.open(address + "?select=")
    try set(#""b""#)
    #expect(
      patches.read()
        == ["retry", "state null", #"patch [{"op":"replace","path":"","value":"b"}]"#])
    #expect(part.read() == ["retry", "0 null", #"1 "b""#])
  }

  @Test func `older values are not retained, so their replay resets`() throws {
    #expect(try service.open(address + "?replay=all").read() == ["retry", "0 null"])
    try set(#""a""#)
    let reader = try service.open(address + "?replay=all")
    #expect(reader.read() == ["retry", "reset {}", #"1 "a""#])
    try set(#""b""#)
    #expect(reader.read() == [#"2 "b""#])
  }

  @Test func `a global has the methods of a stream, and problems of its own`() throws {
    #expect(try service.ask("OPTIONS", address)[field: "Allow"] == "GET, HEAD, OPTIONS")
    #expect(try service.ask("GET", "/v1/globals/x/events").problem == "404 unknown-global")
    #expect(
      try service.ask("GET", "/v1/globals").text.contains(
        #""links":{"self":"/v1/globals/motto","events":"/v1/globals/motto/events"}"#))
    service.api.drain()
    #expect(try service.open(address).read() == ["retry"])
  }
}

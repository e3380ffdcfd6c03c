import Testing

/// `GET /v1/globals/{name}/events`.
@Suite(.blocking)
struct GlobalStreamTests {
  let server: ReactordProcess
  let client: HTTPClient

  init() throws {
    server = try ReactordProcess("--streams-heartbeat", "0.1")
    client = server.client()
  }

  private let path = "/v1/globals/currentUser"

  private func signIn(_ name: String) throws -> HTTPResponse {
    try client.send("PUT", path, json: #"{"name":"\#(name)"}"#)
  }

  private func open(_ query: String = "", _ headers: [String: String] = [:]) throws -> EventStream {
    try EventStream(port: server.port, path + "/events" + query, headers)
  }

  @Test func `the list links to the stream`() throws {
    let globals = try #require(try client.get("/v1/globals").json["globals"]?.array)
    #expect(globals.first?["links"]?["events"] == .string(path + "/events"))
  }

  @Test func `the value is sent at once, and then each new one`() throws {
    let stream = try open()
    #expect(stream.head["Content-Type"] == "text/event-stream; charset=utf-8")
    #expect(try stream.nextEvent()?.data == "null")
    let cursor = try signIn("Ada").cursor
    let event = try #require(try stream.nextEvent())
    #expect(event.event == nil)
    #expect(event.cursor == cursor)
    #expect(event.data == #"{"name":"Ada"}"#)
  }

  @Test func `a cursor resumes`() throws {
    let first = try #require(try signIn("Ada")["ETag"]?.dropFirst().dropLast())
    _ = try signIn("Eve")
    #expect(
      try open("", ["Last-Event-ID": String(first)]).nextEvent()?.data == #"{"name":"Eve"}"#)
    let current = try #require(try open().nextEvent()?.id)
    let stream = try open("?last_event_id=\(current)")
    _ = try signIn("Mia")
    #expect(try stream.nextEvent()?.data == #"{"name":"Mia"}"#)
    #expect(try open("?last_event_id=x").nextEvent()?.event == "reset")
  }

  @Test func `patches and parts are sent as for a session`() throws {
    let part = try open("?select=/name")
    #expect(try part.nextEvent()?.data == "null")
    let patches = try open("?delta=patch")
    #expect(try patches.nextEvent()?.event == "state")
    _ = try signIn("Ada")
    #expect(try part.nextEvent()?.data == #""Ada""#)
    let patch = try #require(try patches.nextEvent())
    #expect(patch.event == "patch")
    #expect(try JSON.null.patched(by: patch.json) == ["name": "Ada"])
  }

  @Test func `a global has heartbeats, a closing event, and the methods of a stream`() throws {
    #expect(try client.send("OPTIONS", path + "/events")["Allow"] == "GET, HEAD, OPTIONS")
    #expect(try client.send("HEAD", path + "/events").status == 200)
    try expectProblem(try client.get("/v1/globals/other/events"), 404, "unknown-global")
    let stream = try open()
    _ = try stream.nextEvent()
    #expect(try stream.next()?.comments.isEmpty == false)
    server.process.signal(15)
    #expect(try stream.nextEvent()?.event == "draining")
    #expect(try stream.next() == nil)
  }
}

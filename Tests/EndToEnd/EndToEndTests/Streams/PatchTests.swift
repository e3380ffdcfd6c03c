import Testing

/// `?delta=patch`: the whole State once, and then patches.
@Suite(.blocking)
struct PatchTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  private func increase(_ value: Int) -> JSON {
    [["op": "replace", "path": "/value", "value": .number(Double(value))]]
  }

  @Test func `event state has the whole State first, then event patch follows`() throws {
    try session.post(#""increase""#)
    let stream = try session.events("?delta=patch")
    let first = try #require(try stream.nextEvent())
    #expect(first.event == "state")
    #expect(first.data == #"{"value":1}"#)
    #expect(first.cursor?.version == 1)
    try session.post(#"["increase","increase"]"#)
    let patches = try stream.events(upTo: 3)
    #expect(patches.map(\.event) == ["patch", "patch"])
    #expect(try patches.map { try $0.json } == [increase(2), increase(3)])
    #expect(patches.map(\.cursor) == [first.cursor?.at(2), first.cursor?.at(3)])
  }

  @Test func `after a resume the first event is a patch from the cursor's version`() throws {
    let response = try session.post(#"["increase","increase","increase","increase","increase"]"#)
    let cursor = try #require(response.cursor)
    for headers in [["Last-Event-ID": cursor.at(2).description], [:]] {
      let query = headers.isEmpty ? "&last_event_id=\(cursor.at(2))" : ""
      let stream = try session.events("?delta=patch" + query, headers)
      let first = try #require(try stream.nextEvent())
      #expect(first.event == "patch")
      #expect(first.cursor == cursor)
      #expect(try JSON.object(["value": 2]).patched(by: first.json) == ["value": 5])
    }
    let replay = try session.events(
      "?delta=patch&replay=all", ["Last-Event-ID": cursor.at(2).description])
    let events = try replay.events(upTo: 5)
    #expect(try events.map { try $0.json } == [increase(3), increase(4), increase(5)])
  }

  @Test func `a client that has the current version gets only a comment, and then patches`() throws
  {
    let cursor = try #require(try session.post(#""increase""#).cursor)
    let stream = try session.events("?delta=patch", ["Last-Event-ID": cursor.description])
    try session.post(#""increase""#)
    let event = try #require(try stream.nextEvent())
    #expect(event.event == "patch")
    #expect(try event.json == increase(2))
  }

  @Test(arguments: ["nonsense", "other-1"])
  func `after a reset the whole State is sent`(id: String) throws {
    try session.post(#""increase""#)
    let stream = try session.events("?delta=patch", ["Last-Event-ID": id])
    #expect(try stream.nextEvent()?.event == "reset")
    let state = try #require(try stream.nextEvent())
    #expect(state.event == "state")
    #expect(state.data == #"{"value":1}"#)
  }

  @Test func `a part has patches of its own, only when it changed`() throws {
    let stopwatch = server.session(of: "stopwatch")
    let stream = try stopwatch.events("?delta=patch&select=/isRunning")
    let first = try #require(try stream.nextEvent())
    #expect(first.event == "state")
    #expect(first.data == "false")
    try stopwatch.post(#""reset""#)
    try stopwatch.post(#""start""#, ["Prefer": "respond-async"])
    let second = try #require(try stream.nextEvent())
    #expect(second.event == "patch")
    #expect(try second.json == [["op": "replace", "path": "", "value": true]])
  }

  @Test func `with every version each is a patch from its predecessor`() throws {
    let server = try ReactordProcess("--streams-buffer", "4", program: "adjustable")
    let session = server.session(of: "counter")
    let stream = try session.events("?delta=patch&replay=all", receiveBuffer: 2048)
    let first = try #require(try stream.nextEvent())
    #expect(first.event == "state")
    #expect(first.data == #"{"value":0}"#)
    let batch = "[" + Array(repeating: #""increase""#, count: 500).joined(separator: ",") + "]"
    for _ in 0..<4 { try session.post(batch, ["Prefer": "return=minimal"]) }
    let events = try stream.events(upTo: 2000)
    #expect(events.allSatisfy { $0.event == "patch" })
    #expect(events.map(\.cursor?.version) == Array(1...2000))
    #expect(try events.last?.json == increase(2000))
  }

  @Test func `a slow reader gets a patch from the last event that it was sent`()
    throws
  {
    let server = try ReactordProcess("--streams-buffer", "8", program: "adjustable")
    let name = String(repeating: "x", count: 16_000)
    _ = try server.client().send("PUT", "/v1/globals/currentUser", json: #"{"name":"\#(name)"}"#)
    let session = server.session(of: "profile")
    _ = try session.put()
    #expect(try eventually { try session.state().cursor?.version == 1 })
    let stream = try session.events("?delta=patch", receiveBuffer: 4096)
    let first = try #require(try stream.nextEvent())
    var shown = try first.json
    let actions = "[" + (1...100).map { #"{"follow":\#($0)}"# }.joined(separator: ",") + "]"
    for _ in 0..<20 { try session.post(actions, ["Prefer": "return=minimal"]) }
    for event in try stream.events(upTo: 2001) {
      #expect(event.event == "patch")
      shown = try shown.patched(by: event.json)
    }
    #expect(shown == (try session.state().json))
  }

  @Test(arguments: ["delta=", "delta=json"])
  func `another value is an error before the stream begins`(query: String) throws {
    #expect(try session.events("?" + query).head.status == 400)
  }
}

import Testing

/// `?select=`: a stream of a part of the State.
@Suite(.blocking)
struct SelectTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess("--stopwatch-interval", "0.02", program: "adjustable")
    session = server.session(of: "stopwatch")
  }

  @Test func `a part is sent only when its value changed`() throws {
    let stream = try session.events("?select=/isRunning")
    #expect(try stream.nextEvent()?.data == "false")
    try session.post(#""start""#, ["Prefer": "respond-async"])
    #expect(try stream.nextEvent()?.data == "true")
    #expect(try eventually { try session.state().json["ticks"]?.int ?? 0 > 3 })
    let stopped = try #require(try session.post(#""stop""#).cursor)
    let event = try #require(try stream.nextEvent())
    #expect(event.data == "false")
    #expect(event.cursor == stopped)
    #expect(stopped.version > 4)
  }

  @Test func `a missing value is null`() throws {
    let stream = try session.events("?select=/other/part")
    #expect(try stream.nextEvent()?.data == "null")
  }

  @Test func `without a part only other events are sent`() throws {
    let stream = try session.events("?select=none&presence=true&signals=true")
    #expect(try stream.nextEvent()?.event == "presence")
    let cursor = try session.post(#"["reset","reset"]"#).cursor
    let signal = try session.client.send("POST", session.path + "/signals", json: "1")
    #expect(signal.status == 204)
    #expect(try stream.nextEvent()?.event == "signal")
    // A cursor of another history is still reported.
    let resumed = try session.events("?select=none", ["Last-Event-ID": "other-3"])
    #expect(try resumed.nextEvent()?.event == "reset")
    #expect(try session.state().cursor == cursor)
    _ = try session.delete()
    // The second stream has changed the presence, which is reported before or after the end of the session.
    var last = try stream.nextEvent()
    if last?.event == "presence" { last = try stream.nextEvent() }
    #expect(last?.event == "end")
    #expect(try resumed.nextEvent()?.event == "end")
  }

  @Test func `without a part every version is 400`() throws {
    #expect(try session.events("?select=none&replay=all").head.status == 400)
    try expectProblem(try session.state("?select=none"), 422, "invalid-pointer")
  }

  @Test func `an invalid pointer is 422`() throws {
    #expect(try session.events("?select=ticks").head.status == 422)
  }

  @Test func `a part with every version is sent when it changed`() throws {
    for _ in 0..<3 { try session.post(#""reset""#) }
    let stream = try session.events("?select=/ticks&replay=all")
    #expect(try stream.nextEvent()?.data == "0")
    try session.post(#""start""#, ["Prefer": "respond-async"])
    let event = try #require(try stream.nextEvent())
    #expect(event.data == "1")
    let cursor = try #require(event.cursor)
    #expect(cursor.version == 5)

    let resumed = try session.events(
      "?select=/isRunning&replay=all", ["Last-Event-ID": cursor.at(2).description])
    let running = try #require(try resumed.nextEvent())
    #expect(running.data == "true")
    #expect(running.cursor == cursor.at(4))
  }
}

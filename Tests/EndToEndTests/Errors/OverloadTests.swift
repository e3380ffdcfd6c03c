import Testing

/// More of everything than there is room for.
@Suite(.blocking)
struct OverloadTests {
  @Test func `without room for another session the answer is 503, and a stream is sent away`()
    throws
  {
    let server = try ReactordProcess("--sessions-limit", "1")
    let client = server.client()
    var refused: [String] = []
    for number in 0..<60 {
      let path = "/v1/reactors/counter/sessions/s\(number)"
      let answer = try client.get(path)
      guard answer.status != 200 else { continue }
      try expectProblem(answer, 503, "unavailable")
      #expect(answer["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
      refused.append(path)
    }
    let path = try #require(refused.first)
    let stream = try EventStream(port: server.port, path + "/events")
    #expect(stream.head.status == 200)
    #expect(try stream.next()?.retry != nil)
    #expect(try stream.next() == nil)
  }

  @Test func `more connections than the limit do not end the service`() throws {
    let server = try ReactordProcess("--limits-connections", "8")
    do {
      let connections = try (0..<40).map { _ in try Connection(port: server.port) }
      for connection in connections {
        try? connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
      }
      #expect(server.process.isRunning)
    }
    #expect(eventually { (try? server.client().get("/healthz").status) == 200 })
  }

  @Test func `a request that does not go on is not waited for for ever`() throws {
    let server = try ReactordProcess("--limits-idle", "1")
    let starts = ["", "GET /healthz HT", "GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: "]
    let ended = try concurrently(starts.count) { index in
      let connection = try Connection(port: server.port)
      try connection.send(starts[index])
      while try connection.someBytes(until: .now + Connection.patience, "a close") != nil {}
      return true
    }
    #expect(ended == [true, true, true])
  }

  @Test func `a stream outlives the time that other connections may be idle`() throws {
    let server = try ReactordProcess("--limits-idle", "1", "--streams-heartbeat", "0.4")
    let session = server.session(of: "counter")
    let stream = try session.events()
    _ = try stream.nextEvent()
    for _ in 0..<4 { #expect(try stream.next()?.comments.isEmpty == false) }
    try session.post(#""increase""#)
    #expect(try stream.nextEvent()?.data == #"{"value":1}"#)
  }

  @Test func `hundreds of streams at once are served by few threads`() throws {
    let server = try ReactordProcess()
    let session = server.session(of: "counter")
    let streams = try (0..<400).map { _ in try session.events() }
    for stream in streams { #expect(try stream.nextEvent()?.data == #"{"value":0}"#) }
    try session.post(#""increase""#)
    for stream in streams { #expect(try stream.nextEvent()?.data == #"{"value":1}"#) }
    #expect(try session.subscribers() == 400)
    #expect(try ProcessFigures(of: server.process).threads < 40)
  }
}

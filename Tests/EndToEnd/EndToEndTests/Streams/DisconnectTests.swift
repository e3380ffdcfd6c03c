import Testing

/// Clients that disconnect in the middle of a stream.
@Suite(.blocking)
struct DisconnectTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess("--streams-heartbeat", "0.2")
    session = server.session(of: "counter")
  }

  @Test(arguments: [true, false])
  func `a client that disconnects leaves no resources behind`(abruptly: Bool) throws {
    // Create the resources of the first request and the first stream before the measurement.
    try session.post(#""increase""#)
    do { _ = try session.events().nextEvent() }
    #expect(try eventually { try session.subscribers() == 0 })
    let before = try ProcessFigures(of: server.process)

    do {
      let streams = try (0..<40).map { _ in try session.events() }
      for stream in streams { _ = try stream.nextEvent() }
      #expect(try session.subscribers() == 40)
      // The descriptor of the first stream can still have been open before.
      #expect(try ProcessFigures(of: server.process).descriptors >= before.descriptors + 39)
      if abruptly { for stream in streams { stream.abort() } }
    }
    #expect(try eventually { try session.subscribers() == 0 })
    #expect(
      try eventually {
        try ProcessFigures(of: server.process).descriptors <= before.descriptors
      })
    // The pools of Swift and of the system create threads when the machine is busy.
    #expect(try ProcessFigures(of: server.process).threads < before.threads + 20)
    #expect(try session.post(#""increase""#).status == 200)
  }

  @Test func `a client that disconnects does not affect its running action`()
    throws
  {
    let profile = server.session(of: "profile")
    let path = profile.path
    do {
      let connection = try Connection(port: server.port)
      let body = #"{"follow":5}"#
      try connection.send(
        """
        POST \(path)/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
        Content-Length: \(body.utf8.count)\r\n\r\n\(body)
        """)
      connection.abort()
    }
    // The service may not have read the action before the disconnection. If it has, the action runs
    // to its end.
    _ = try profile.state()
    #expect(try profile.post(#"{"follow":6}"#).json["isFollowing"] == true)
  }

  @Test func `a half-closed connection still gets its response`() throws {
    let connection = try Connection(port: server.port)
    try connection.send("GET \(session.path)/state HTTP/1.1\r\nHost: localhost\r\n\r\n")
    connection.finishSending()
    let reader = ResponseReader(connection: connection)
    let head = try reader.head(until: .now + Connection.timeout)
    #expect(head.status == 200)
  }
}

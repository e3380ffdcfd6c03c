import Testing

/// `Last-Event-ID`: a client that reconnects.
@Suite(.blocking)
struct ResumeTests {
  let server: ReactordProcess
  let session: SessionClient
  let cursor: Cursor

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
    let response = try session.post(#"["increase","increase","increase"]"#)
    cursor = try #require(response.cursor)
  }

  /// The two ways to send a cursor.
  enum Way: CaseIterable {
    case header, query
  }

  private func resume(_ id: String, by way: Way, _ query: String = "") throws -> EventStream {
    switch way {
    case .header: try session.events(query.isEmpty ? "" : "?" + query, ["Last-Event-ID": id])
    case .query: try session.events("?last_event_id=\(id)" + (query.isEmpty ? "" : "&" + query))
    }
  }

  @Test(arguments: Way.allCases)
  func `a client that has the current version gets only a comment`(way: Way) throws {
    let stream = try resume(cursor.description, by: way)
    var block = try #require(try stream.next())
    if block.retry != nil, block.comments.isEmpty { block = try #require(try stream.next()) }
    #expect(!block.comments.isEmpty)
    #expect(!block.isDispatched)
    try session.post(#""increase""#)
    #expect(try stream.nextEvent()?.cursor == cursor.at(4))
  }

  @Test(arguments: Way.allCases)
  func `a client that is behind gets the current State, once`(way: Way) throws {
    let stream = try resume(cursor.at(1).description, by: way)
    let first = try #require(try stream.nextEvent())
    #expect(first.event == nil)
    #expect(first.cursor == cursor)
    #expect(first.data == #"{"value":3}"#)
    try session.post(#""increase""#)
    #expect(try stream.nextEvent()?.cursor == cursor.at(4))
  }

  @Test(
    arguments: Way.allCases, ["nonsense", "x-1", "-", "-1", "a-b", "%00", "x-99999999999999999999"])
  func `a malformed cursor, or one of another epoch, gets a reset`(
    way: Way, id: String
  ) throws {
    try expectReset(try resume(id, by: way))
  }

  @Test(arguments: Way.allCases)
  func `a cursor beyond the log gets a reset`(way: Way) throws {
    try expectReset(try resume(cursor.at(4).description, by: way))
    try expectReset(try resume(cursor.at(Int.max).description, by: way))
  }

  @Test func `a very long cursor gets a reset`() throws {
    let long = String(repeating: "x", count: 4000)
    try expectReset(try resume(long, by: .header))
    try expectReset(try resume(long, by: .query))
  }

  private func expectReset(_ stream: EventStream) throws {
    #expect(stream.head.status == 200)
    let reset = try #require(try stream.nextEvent())
    #expect(reset.event == "reset")
    #expect(reset.data == "{}")
    #expect(reset.id == nil)
    let state = try #require(try stream.nextEvent())
    #expect(state.event == nil)
    #expect(state.cursor == cursor)
    #expect(state.data == #"{"value":3}"#)
  }

  @Test func `the cursor of a recreated session differs from the old one`() throws {
    _ = try session.delete()
    _ = try session.put()
    let response = try session.post(#"["increase","increase","increase","increase"]"#)
    let stream = try resume(cursor.description, by: .header)
    #expect(try stream.nextEvent()?.event == "reset")
    #expect(try stream.nextEvent()?.cursor == response.cursor)
  }

  @Test func `the header overrides the query`() throws {
    let stream = try session.events(
      "?last_event_id=nonsense", ["Last-Event-ID": cursor.description])
    try session.post(#""increase""#)
    let event = try #require(try stream.nextEvent())
    #expect(event.event == nil)
    #expect(event.cursor == cursor.at(4))
  }

  @Test func `a client that reconnects misses no version and gets none twice`() throws {
    let path = session.path
    let total = 300
    let port = server.port
    let results = try concurrently(2) { index -> [Int] in
      if index == 0 {
        let client = SessionClient(HTTPClient(port: port), path)
        for _ in 3..<total { try client.post(#""increase""#) }
        return []
      }
      var seen: [Int] = []
      var id: String?
      while seen.last ?? 0 < total {
        var headers: [String: String] = [:]
        if let id { headers["Last-Event-ID"] = id }
        let stream = try EventStream(port: port, path + "/events?replay=all", headers)
        for _ in 0..<17 where seen.last ?? 0 < total {
          guard let event = try stream.nextEvent(), let cursor = event.cursor else { break }
          #expect(event.event == nil)
          seen.append(cursor.version)
          id = event.id
        }
      }
      return seen
    }
    #expect(results[1] == Array(0...total))
  }
}

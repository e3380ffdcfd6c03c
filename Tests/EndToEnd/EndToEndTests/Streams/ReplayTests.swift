import Testing

/// `?replay=all`: every version, regardless of the pace of the reader.
@Suite(.blocking)
struct ReplayTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  private func post(_ count: Int) throws {
    try session.post(
      "[" + Array(repeating: #""increase""#, count: count).joined(separator: ",") + "]",
      ["Prefer": "return=minimal"])
  }

  @Test func `without a cursor it begins with version 0`() throws {
    try post(100)
    let stream = try session.events("?replay=all")
    let events = try stream.events(upTo: 100)
    #expect(events.map(\.cursor?.version) == Array(0...100))
    #expect(events.map(\.data) == (0...100).map { #"{"value":\#($0)}"# })
    try post(1)
    #expect(try stream.nextEvent()?.cursor?.version == 101)
  }

  @Test func `with a cursor it begins after it`() throws {
    try post(10)
    let cursor = try #require(try session.state().cursor)
    let stream = try session.events("?replay=all", ["Last-Event-ID": cursor.at(4).description])
    #expect(try stream.events(upTo: 10).map(\.cursor?.version) == Array(5...10))
  }

  @Test func `with the current cursor it begins with the next version`() throws {
    try post(10)
    let cursor = try #require(try session.state().cursor)
    let stream = try session.events("?replay=all", ["Last-Event-ID": cursor.description])
    try post(2)
    #expect(try stream.events(upTo: 12).map(\.cursor?.version) == [11, 12])
  }

  @Test func `after a reset it begins with version 0`() throws {
    try post(3)
    let stream = try session.events("?replay=all", ["Last-Event-ID": "other-2"])
    #expect(try stream.nextEvent()?.event == "reset")
    #expect(try stream.events(upTo: 3).map(\.cursor?.version) == [0, 1, 2, 3])
  }

  @Test func `a slow reader still gets every version`() throws {
    let server = try ReactordProcess("--streams-buffer", "4", program: "adjustable")
    let session = server.session(of: "counter")
    let stream = try session.events("?replay=all", receiveBuffer: 2048)
    _ = try stream.nextEvent()
    let batch = "[" + Array(repeating: #""increase""#, count: 500).joined(separator: ",") + "]"
    for _ in 0..<8 { try session.post(batch, ["Prefer": "return=minimal"]) }
    #expect(try stream.events(upTo: 4000).map(\.cursor?.version) == Array(1...4000))
  }

  @Test func `a part that alternates is sent each time, from the log or not`() throws {
    let server = try ReactordProcess("--streams-buffer", "1", program: "adjustable")
    let path = server.session(of: "counter").path
    let port = server.port
    let rounds = 300
    let versions = try concurrently(2) { index -> [Int] in
      if index == 0 {
        let stream = try EventStream(port: port, path + "/events?select=/value&replay=all")
        let events = try stream.events(upTo: rounds * 4, within: .seconds(1200))
        #expect(events.map(\.data) == events.map { $0.cursor.map { "\($0.version % 2)" } })
        return events.compactMap { $0.cursor?.version }
      }
      let poster = SessionClient(HTTPClient(port: port), path)
      for round in 0..<rounds {
        // Alternate single actions, which fit into the buffer, with arrays, which do not.
        if round.isMultiple(of: 2) {
          for action in [#""increase""#, #""decrease""#, #""increase""#, #""decrease""#] {
            try poster.post(action)
          }
        } else {
          try poster.post(#"["increase","decrease","increase","decrease"]"#)
        }
      }
      return []
    }
    #expect(versions[0] == Array(0...(rounds * 4)))
  }

  @Test func `the end comes after all versions`() throws {
    try post(50)
    let stream = try session.events("?replay=all")
    _ = try stream.events(upTo: 50)
    _ = try session.delete()
    #expect(try stream.nextEvent()?.event == "end")
    #expect(try stream.next() == nil)
  }
}

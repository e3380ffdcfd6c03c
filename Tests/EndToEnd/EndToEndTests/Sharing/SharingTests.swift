import Testing

/// Many simultaneous clients.
@Suite(.blocking)
struct SharingTests {
  let server: ReactordProcess

  init() throws {
    server = try ReactordProcess.shared.get()
  }

  @Test func `two streams of one session have the same order, whichever client posts`() throws {
    let session = server.session(of: "counter")
    let path = session.path
    let port = server.port
    let total = 4 * 100
    let results = try concurrently(6) { index -> [ServerSentEvent] in
      if index < 2 {
        let stream = try EventStream(port: port, path + "/events?replay=all")
        return try stream.events(upTo: total, within: .seconds(1200))
      }
      let poster = SessionClient(HTTPClient(port: port), path)
      for _ in 0..<100 { try poster.post(#"{"add":\#(index)}"#) }
      return []
    }
    #expect(results[0] == results[1])
    #expect(results[0].map(\.cursor?.version) == Array(0...total))
    #expect(try session.state().json["value"]?.int == 100 * (2 + 3 + 4 + 5))

    // The order of the events is that of the log.
    var value = 0
    var values = [0]
    var page: String? = path + "/log?limit=1000"
    while let address = page {
      let response = try session.client.get(address)
      for entry in try response.json.array ?? [] {
        value += entry["mutation"]?["change"]?["by"]?.int ?? 0
        values.append(value)
      }
      page = response.nextPage
    }
    #expect(try results[0].map { try $0.json["value"]?.int } == values)
  }

  @Test func `each response has a state at or after its own action`() throws {
    let path = server.session(of: "counter").path
    let port = server.port
    let responses = try concurrently(4) { _ -> [HTTPResponse] in
      let poster = SessionClient(HTTPClient(port: port), path)
      return try (0..<50).map { _ in try poster.post(#""increase""#) }
    }
    for own in responses {
      let versions = own.compactMap { $0.cursor?.version }
      #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
      for response in own {
        // The body has the version of the entity tag.
        #expect(try response.json["value"]?.int == response.cursor?.version)
      }
    }
  }

  @Test func `a hundred concurrent sessions do not affect each other`() throws {
    let sessions = (0..<100).map { _ in server.session(of: "counter").path }
    let port = server.port
    let streams = try sessions.map { try EventStream(port: port, $0 + "/events") }
    _ = try concurrently(10) { worker in
      let client = HTTPClient(port: port)
      for round in 1...5 {
        for index in stride(from: worker, to: 100, by: 10) {
          let response = try SessionClient(client, sessions[index]).post(#"{"add":\#(index)}"#)
          #expect(try response.json["value"]?.int == index * round)
        }
      }
    }
    let client = HTTPClient(port: port)
    for (index, path) in sessions.enumerated() {
      #expect(try client.get(path).json["value"]?.int == index * 5)
      let events = try streams[index].events(upTo: 5)
      #expect(try events.map { try $0.json["value"]?.int } == (0...5).map { $0 * index })
    }
  }

  @Test func `sessions that are created concurrently with one id are one session`() throws {
    let path = server.session(of: "counter").path
    let port = server.port
    let responses = try concurrently(8) { _ in
      try SessionClient(HTTPClient(port: port), path).put()
    }
    #expect(responses.filter { $0.status == 201 }.count == 1)
    #expect(responses.filter { $0.status == 200 }.count == 7)
    #expect(Set(responses.map { $0["ETag"] }).count == 1)
  }
}

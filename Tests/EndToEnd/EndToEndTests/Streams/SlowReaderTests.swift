import Testing

/// A slow subscriber, which must not affect the others.
@Suite(.blocking)
struct SlowReaderTests {
  let server: ReactordProcess

  init() throws {
    server = try ReactordProcess("--streams-buffer", "16", program: "adjustable")
  }

  /// A session whose State is so large that the buffers of a connection hold only a few copies of
  /// it.
  private func largeSession() throws -> SessionClient {
    let name = String(repeating: "x", count: 16_000)
    let client = server.client()
    _ = try client.send("PUT", "/v1/globals/currentUser", json: #"{"name":"\#(name)"}"#)
    let session = server.session(of: "profile")
    _ = try session.put()
    #expect(try eventually { try session.state().cursor?.version == 1 })
    return session
  }

  @Test func `a reader that does not read delays no other, and then gets the newest version`()
    throws
  {
    let session = try largeSession()
    let slow = try session.events(receiveBuffer: 4096)
    let quick = try session.events()
    let first = try #require(try quick.nextEvent()?.cursor)
    let path = session.path
    let port = server.port
    let actions = "[" + (1...100).map { #"{"follow":\#($0)}"# }.joined(separator: ",") + "]"
    let rounds = 20
    let newest = 1 + rounds * 100

    let results = try concurrently(2) { index -> [Int] in
      guard index == 0 else { return [] }
      let poster = SessionClient(HTTPClient(port: port), path)
      return try (0..<rounds).map { _ in
        try poster.post(actions, ["Prefer": "return=minimal"]).status
      }
    }
    #expect(results[0] == Array(repeating: 204, count: rounds))
    #expect(try session.state().cursor == first.at(newest))

    for stream in [slow, quick] {
      let versions = try stream.events(upTo: newest).compactMap { $0.cursor?.version }
      #expect(versions.last == newest)
      #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test func `the ids of a slow reader skip versions`() throws {
    let session = try largeSession()
    let slow = try session.events(receiveBuffer: 4096)
    let actions = "[" + (1...100).map { #"{"follow":\#($0)}"# }.joined(separator: ",") + "]"
    for _ in 0..<10 { try session.post(actions, ["Prefer": "return=minimal"]) }
    let versions = try slow.events(upTo: 1001).compactMap { $0.cursor?.version }
    #expect(versions.count < 1001)
    #expect(versions.last == 1001)
  }

  @Test(.enabled(if: !Sanitizer.isUsed))
  func `a reader that never reads occupies bounded memory`() throws {
    let session = try largeSession()
    let actions = "[" + (1...100).map { #"{"follow":\#($0)}"# }.joined(separator: ",") + "]"
    for _ in 0..<3 { try session.post(actions, ["Prefer": "return=minimal"]) }
    let before = try ProcessFigures(of: server.process).residentBytes
    let stuck = try (0..<4).map { _ in try session.events(receiveBuffer: 4096) }
    for _ in 0..<10 { try session.post(actions, ["Prefer": "return=minimal"]) }
    let after = try ProcessFigures(of: server.process).residentBytes
    // The service has sent 16 MB to each of the four streams.
    #expect(after - before < 24_000_000)
    #expect(stuck.allSatisfy { $0.head.status == 200 })
  }
}

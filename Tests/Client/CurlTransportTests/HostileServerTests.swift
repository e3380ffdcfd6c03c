import ClientCore
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CurlTransport

/// Bytes that a server sends, with a short name for the output of the tests.
struct Response: ExpressibleByStringLiteral, CustomTestStringConvertible, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  init(stringLiteral text: String) { self.text = text }

  init(_ head: String, repeating text: String, _ count: Int, _ end: String = "\r\n") {
    self.text = "\(head)\(String(repeating: text, count: count))\(end)"
  }

  var testDescription: String { "\(text.utf8.count) bytes: \(text.prefix(80).debugDescription)" }
}

/// The transport against servers that stall, cut, flood and send anything but HTTP.
@Suite(.timeLimit(.minutes(60))) struct HostileServerTests {
  /// Returns the kinds of the problems of a request and of a stream to a server that sends these bytes.
  private func kinds(
    _ response: Response, staysOpen: Bool = false, timeout: Duration = sharedTimeout
  ) async throws -> [Problem.Kind?] {
    let script: ScriptedServer.Script = { peer in
      _ = peer.request()
      peer.send(response.text)
      if staysOpen { peer.waitForEnd() }
    }
    let server = try ScriptedServer(script, script)
    let transport = CurlTransport(server)
    defer { transport.close() }
    var kinds = [await transport.kind(request(timeout: timeout))]
    for await event in transport.events(request(timeout: timeout)) {
      if case .end(let problem) = event { kinds.append(problem?.kind) }
    }
    return kinds
  }

  @Test(
    arguments: [
      "", "HTTP/1.1", "HTTP/1.1 200 OK\r\nContent-",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
      "HTTP/1.1 103 Early Hints\r\n\r\n",
    ] as [Response])
  func `a server that stalls is unreachable after the timeout`(_ response: Response) async throws {
    let kinds = try await kinds(response, staysOpen: true, timeout: .milliseconds(30))
    #expect(kinds == [.unreachable, .unreachable])
  }

  @Test(
    arguments: [
      "", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5", "HTTP/1.1 103 Early Hints\r\n\r\n",
    ] as [Response])
  func `a response that is cut is a failure`(_ response: Response) async throws {
    #expect(try await kinds(response) == [.unreachable, .unreachable])
  }

  @Test(
    arguments: [
      "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
      Response("HTTP/1.1 200 OK\r\n", repeating: "X: y\r\n", 20_000),
      Response("HTTP/1.1 200 OK\r\nX: ", repeating: "y", 1_048_576, "\r\n\r\n"),
      Response("", repeating: "y", 1_048_576),
    ] as [Response])
  func `a server that does not respond with HTTP is named`(_ response: Response) async throws {
    #expect(try await kinds(response, staysOpen: true) == [.notAServer, .notAServer])
  }

  @Test(
    arguments: [
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nabc\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
      Response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", repeating: "1", 1_048_576),
    ] as [Response])
  func `malformed chunks are a failure`(_ response: Response) async throws {
    #expect(try await kinds(response).allSatisfy { $0 != nil })
  }

  @Test func `random bytes are never a response`() async throws {
    var random = SplitMix64(seed: 44)
    for _ in 0..<50 {
      let length = Int.random(in: 0...3000, using: &random)
      let bytes = (0..<length).map { _ in UInt8.random(in: 1...255, using: &random) }
      let kinds = try await kinds(Response(String(decoding: bytes, as: UTF8.self)))
      #expect(kinds.count == 2 && kinds.allSatisfy { $0 == .unreachable || $0 == .notAServer })
    }
  }

  @Test func `a response that trickles ends after the total time`() async throws {
    let server = try ScriptedServer { peer in
      _ = peer.request()
      peer.send("HTTP/1.1 200 OK\r\n\r\n")
      while peer.send("x") { usleep(1000) }
    }
    let transport = CurlTransport(server, total: .milliseconds(50))
    #expect(await transport.kind(request(timeout: .milliseconds(500))) == .unreachable)
    transport.close()
  }

  @Test func `a response above 64 MiB is rejected`() async throws {
    let server = try ScriptedServer { peer in
      _ = peer.request()
      peer.send("HTTP/1.1 200 OK\r\n\r\n")
      let part = String(repeating: "x", count: 1_048_576)
      while peer.send(part) {}
    }
    let transport = CurlTransport(server)
    #expect(await transport.kind(request()) == .notAServer)
    transport.close()
  }

  @Test func `a redirect is a response and is not followed`() async throws {
    let other = try ScriptedServer()
    let location = "http://\(other.address)/b"
    let server = try ScriptedServer { peer in
      _ = peer.request()
      peer.send("HTTP/1.1 307 X\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
      peer.waitForEnd()
    }
    let transport = CurlTransport(server)
    let response = try await transport.response(to: request("POST", body: "secret")).get()
    #expect(response.head.status == 307)
    #expect(response.head["location"] == location)
    #expect(other.connectionCount == 0)
    transport.close()
  }

  @Test func `a recipient that blocks delays the server of its stream, and no request`()
    async throws
  {
    let total = 128
    let sent = Atomic(0)
    let part = String(repeating: "x", count: 1_048_576)
    let isStalled = Atomic(false)
    let server = try ScriptedServer(
      { peer in
        _ = peer.request()
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(total * part.utf8.count)\r\n\r\n")
        for _ in 0..<total {
          // The socket is not writable for a second: the client reads nothing.
          if !peer.isWritable(withinMilliseconds: 1000) {
            isStalled.store(true, ordering: .relaxed)
          }
          guard peer.send(part) else { break }
          sent.add(1, ordering: .relaxed)
        }
        isStalled.store(true, ordering: .relaxed)
        peer.waitForEnd()
      },
      { peer in
        while peer.request() != nil { peer.respond("quick") }
      })
    let transport = CurlTransport(server)
    let received = Atomic(0)
    let gate = Atomic(false)
    let end = AsyncStream<Problem?>.makeStream()
    let connection = transport.open(request()) { event in
      switch event {
      case .head: break
      case .bytes(let bytes):
        // `body` blocks this thread of Dispatch until the test opens the gate.
        while !gate.load(ordering: .relaxed) { usleep(1000) }
        received.add(bytes.count, ordering: .relaxed)
      case .end(let problem):
        end.continuation.yield(problem)
        end.continuation.finish()
      }
    }
    try await wait { isStalled.load(ordering: .relaxed) }
    #expect(sent.load(ordering: .relaxed) < total / 2)
    #expect(try await transport.body(request()) == "quick")
    gate.store(true, ordering: .relaxed)
    for await problem in end.stream { #expect(problem == nil) }
    #expect(received.load(ordering: .relaxed) == total * part.utf8.count)
    withExtendedLifetime(connection) { transport.close() }
  }

  @Test func `streams that are cancelled at any time end once`() async throws {
    let script: ScriptedServer.Script = { peer in
      _ = peer.request()
      peer.send("HTTP/1.1 200 OK\r\n\r\n")
      for _ in 0..<50 { peer.send(String(repeating: "x", count: 10_000)) }
    }
    let server = try ScriptedServer(Array(repeating: script, count: 100))
    let transport = CurlTransport(server)
    let ends = Atomic(0)
    let parts = Atomic(0)
    var connections: [any TransportConnection] = []
    for number in 0..<100 {
      let connection = transport.open(request()) { event in
        if case .end = event { ends.add(1, ordering: .relaxed) }
        parts.add(1, ordering: .relaxed)
      }
      connections.append(connection)
      if number % 3 == 0 { connection.cancel() }
      if number % 7 == 0 { await Task.yield() }
    }
    for connection in connections.reversed() { connection.cancel() }
    try await wait { ends.load(ordering: .relaxed) == 100 }
    transport.close()
    for connection in connections { connection.cancel() }
    #expect(ends.load(ordering: .relaxed) == 100)
  }
}

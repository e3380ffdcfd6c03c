import ClientCore
import Foundation
import Glibc
import Identity
import TestSupport
import Testing

@testable import ReactorService

/// Requests to a provider over sockets: one that is huge, redirects, stalls or is absent.
struct ProviderHTTPTests {
  /// A server that sends one text to each connection after its request, and then closes it or stalls.
  private final class Server: Sendable {
    let url: String
    private let listener: Int32

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - stalls: Whether connections stay open after the text.
    ///   - response: Returns the text for the number of a connection and its request.
    /// - Throws: The error of a system call.
    init(stalls: Bool = false, _ response: @escaping @Sendable (Int, String) -> [String]) throws {
      let (listener, port) = try LoopbackSocket.listening()
      self.listener = listener
      let url = "http://127.0.0.1:\(port)"
      self.url = url
      Thread.detachNewThread {
        for number in 0... {
          guard let connection = LoopbackSocket.accept(from: listener) else { return }
          var buffer = [UInt8](repeating: 0, count: 16_384)
          let count = recv(connection, &buffer, buffer.count, 0)
          let request = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
          for part in response(number, request) {
            guard LoopbackSocket.send(Array(part.utf8)[...], to: connection) else { break }
          }
          // Until the client closes the connection.
          if stalls { while recv(connection, &buffer, buffer.count, 0) > 0 {} }
          close(connection)
        }
      }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Gets a document; a busy machine can need longer than ``ProviderHTTP/timeout``.
    func get(
      _ path: String, tag: String? = nil, within timeout: Duration = .seconds(600)
    ) async throws -> Result<ProviderResponse, ProviderFailure> {
      await ProviderHTTP.document(
        at: try #require(ProviderURL(url + path)), unlessTagged: tag, within: timeout)
    }
  }

  private static func response(_ head: String, _ body: String = "") -> String {
    "HTTP/1.1 \(head)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
  }

  @Test func `a response has its status, body, entity tag and lifetime`() async throws {
    let server = try Server { _, request in
      let fields = request.contains("If-None-Match: \"x\"") ? "sent" : "not sent"
      return [Self.response("200 OK\r\nETag: \"x\"\r\nCache-Control: max-age=60", fields)]
    }
    let response = try await server.get("/keys?a=b").get()
    #expect(response.status == 200)
    #expect(response.tag == "\"x\"")
    #expect(response.maxAge == 60)
    #expect(response.body == Array("not sent".utf8))
    #expect(try await server.get("/", tag: "\"x\"").get().body == Array("sent".utf8))
  }

  @Test func `redirects within the host are followed, three of them`() async throws {
    let server = try Server { number, request in
      [
        request.hasPrefix("GET /end ")
          ? Self.response("200 OK", "end")
          : Self.response("302 Found\r\nLocation: \(number == 2 ? "/end" : "/next")")
      ]
    }
    #expect(try await server.get("/").get().body == Array("end".utf8))
    let loop = try Server { _, _ in [Self.response("301 Moved\r\nLocation: /")] }
    #expect(
      try await loop.get("/") == .failure(.init(reason: "it redirects more than 3 times")))
  }

  @Test(arguments: ["http://localhost:1/", "//127.0.0.2/", "https://a.example/", ""])
  func `a redirect to another host is an error`(location: String) async throws {
    let server = try Server { _, _ in [Self.response("302 Found\r\nLocation: \(location)")] }
    #expect(try await server.get("/") == .failure(.init(reason: "it redirects to another host")))
  }

  @Test func `a response that is too large is an error, and not read to its end`() async throws {
    let part = String(repeating: "x", count: 65_536)
    let server = try Server { _, _ in
      ["HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"]
        + Array(repeating: part, count: 400)
    }
    #expect(
      try await server.get("/")
        == .failure(.init(reason: "its response has more than 1048576 bytes")))
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
  func `a response that stalls is an error after five seconds`(text: String) async throws {
    let server = try Server(stalls: true) { _, _ in [text] }
    guard case .failure = try await server.get("/", within: ProviderHTTP.timeout) else {
      Issue.record("There is a response.")
      return
    }
  }

  @Test(arguments: ["x", "SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
  func `bytes that are no complete response are an error`(text: String) async throws {
    let server = try Server { _, _ in [text] }
    guard case .failure = try await server.get("/") else {
      Issue.record("There is a response.")
      return
    }
  }

  @Test func `a host that does not listen is an error`() async throws {
    let (descriptor, port) = try LoopbackSocket.reserved()
    defer { close(descriptor) }
    let url = try #require(ProviderURL("http://127.0.0.1:\(port)/"))
    #expect(
      await ProviderHTTP.get(url, nil)
        == .failure(.init(reason: "127.0.0.1:\(port) does not accept connections")))
  }

  @Test func `requests that stall have threads of their own, and delay no other request`()
    async throws
  {
    let count = ProviderQueue.width
    let (listener, port) = try LoopbackSocket.listening()
    let url = try #require(ProviderURL("http://127.0.0.1:\(port)/"))
    let (accepted, connections) = AsyncStream<Int32>.makeStream()
    Thread.detachNewThread {
      for _ in 0..<count {
        if let connection = LoopbackSocket.accept(from: listener) { connections.yield(connection) }
      }
      close(listener)
      connections.finish()
    }
    let requests = (0..<count).map { _ in
      Task {
        await ProviderHTTP.send(TransportRequest("GET", "", timeout: .seconds(600)), to: url)
      }
    }
    var stalled: [Int32] = []
    for await connection in accepted { stalled.append(connection) }
    #expect(stalled.count == count)
    // Dispatch adds threads while its threads block, but only one per second; tasks wait meanwhile.
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").map {
      (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) ?? ""
    }
    #expect(names.count { $0 == "provider\n" } >= count)
    let other = try Server { _, _ in [Self.response("200 OK")] }
    #expect(try await other.get("/").get().status == 200)
    for descriptor in stalled { close(descriptor) }
    for request in requests {
      guard case .failure = await request.value else {
        Issue.record("There is a response.")
        return
      }
    }
  }
}

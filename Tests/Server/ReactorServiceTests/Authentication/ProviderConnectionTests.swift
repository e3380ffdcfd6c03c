import ClientCore
import Foundation
import Glibc
import Identity
import ReactorCore
import Shares
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import ReactorService

/// The connections that stay open between questions to the webhook and requests to introspect tokens.
struct ProviderConnectionTests {
  /// A server that responds to three requests of each connection, and then closes it.
  private final class Server: Sendable {
    let url: ProviderURL
    private let listener: Int32
    private let accepted = Atomic(0)

    /// The number of connections.
    var connections: Int { accepted.load(ordering: .relaxed) }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - body: The body of each response.
    ///   - waits: Whether a connection is closed when the request after the last response has arrived.
    /// - Throws: The error of a system call.
    init(_ body: String, waits: Bool = false) throws {
      let (listener, port) = try LoopbackSocket.listening()
      self.listener = listener
      url = try #require(ProviderURL("http://127.0.0.1:\(port)/"))
      let response = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      Thread.detachNewThread { [weak self] in
        while let connection = LoopbackSocket.accept(from: listener) {
          self?.accepted.add(1, ordering: .relaxed)
          for _ in 0..<3 where Self.receive(from: connection) {
            _ = LoopbackSocket.send(Array(response.utf8)[...], to: connection)
          }
          if waits { _ = Self.receive(from: connection) }
          close(connection)
        }
        close(listener)
      }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Reads a request with a body; returns `false` at the end of the connection.
    private static func receive(from connection: Int32) -> Bool {
      var text = ""
      var buffer = [UInt8](repeating: 0, count: 16_384)
      while true {
        let parts = text.split(separator: "\r\n\r\n", omittingEmptySubsequences: false)
        let length = text.firstMatch(of: /Content-Length: (\d+)\r\n/).flatMap { Int($0.output.1) }
        if parts.count > 1, let length, parts[1].utf8.count == length { return true }
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        text += String(decoding: buffer[..<count], as: UTF8.self)
      }
    }
  }

  private let ledger = Ledger()

  /// Executes requests to a server until they have used a number of connections.
  ///
  /// libcurl does not use a connection again after two minutes, for which a busy machine can pause a test.
  private func expectConnections(
    _ count: Int, to body: String, waits: Bool = false, _ requests: (Server) async throws -> Void
  ) async throws {
    var counts: [Int] = []
    repeat {
      let server = try Server(body, waits: waits)
      try await requests(server)
      counts.append(server.connections)
    } while counts.last != count && counts.count < 5
    #expect(counts.last == count, "\(counts)")
  }

  @Test(arguments: [false, true])
  func `requests one after the other use one connection until the server closes it`(
    waits: Bool
  ) async throws {
    try await expectConnections(3, to: "x", waits: waits) { server async throws in
      let connections = ProviderConnections()
      for _ in 0..<9 {
        let request = TransportRequest("POST", "", body: [1], timeout: .seconds(600))
        let response = await ProviderHTTP.send(request, to: server.url, over: connections)
        let received = try response.get()
        #expect(received.body == Array("x".utf8))
      }
    }
  }

  @Test func `questions to the webhook share connections`() async throws {
    try await expectConnections(2, to: #"{"allow":true}"#) { server in
      let webhook = Webhook(
        .init(url: server.url, secret: []), .silent, ProviderQueue(ledger), ledger)
      for number in 0..<6 {
        let question = try #require(
          AccessQuestion(nil, .act, "cart", "\(number)", actions: ["add"]))
        let decision = webhook.decision(on: question, endingAfter: 0, at: 0, for: nil)
        guard case .pending(let pending) = decision, case .decided = await pending.decision() else {
          // A provider that takes five seconds to respond: the number of connections differs.
          return
        }
      }
    }
  }

  @Test func `requests to introspect tokens share connections`() async throws {
    try await expectConnections(2, to: #"{"active":false}"#) { server in
      let introspection = Introspection(
        .init(url: server.url, client: nil, audience: []), .silent, ProviderQueue(ledger))
      for number in 0..<6 as Range<UInt8> {
        guard
          case .pending(let pending) = introspection.state(
            of: [number], [number], at: 0, for: nil)
        else { return }
        await pending.wait()
        guard case .inactive = introspection.state(of: [number], [number], at: 0, for: nil) else {
          return
        }
      }
    }
  }
}

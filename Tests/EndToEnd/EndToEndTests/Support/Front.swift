import Foundation
import Glibc
import Synchronization
import TestSupport

/// A server before a service that responds to the first requests itself, and passes each later connection on.
final class Front: Sendable {
  let port: UInt16
  private let listener: Int32
  private let proxy: RoundRobinProxy
  private let responses: Mutex<[String]>

  var url: String { "http://127.0.0.1:\(port)" }

  /// Whether every response was sent.
  var isPassed: Bool { responses.withLock { $0.isEmpty } }

  /// The pages of a front: with each status, in several types of bodies.
  static func pages(_ statuses: [Int]) -> [String] {
    let problem = "application/problem+json"
    return statuses.flatMap { status in
      [
        ("text/html", "<html><h1>\(status)</h1></html>"), ("application/json", "{}"),
        (problem, #"{"type":"about:blank","status":\#(status)}"#),
        (problem, #"{"type":"/problems/unknown-reactor","tit"#),
      ].map { type, body in
        "HTTP/1.1 \(status) Front\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
          + "Connection: close\r\n\r\n" + body
      }
    }
  }

  init(to target: UInt16, _ responses: [String]) throws {
    self.responses = Mutex(responses)
    proxy = try RoundRobinProxy([target])
    let (listener, port) = try LoopbackSocket.listening()
    (self.listener, self.port) = (listener, port)
    Thread.detachNewThread { [weak self] in
      while let client = LoopbackSocket.accept(from: listener) {
        guard let self else {
          close(client)
          return
        }
        let response = self.responses.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        Thread.detachNewThread { [proxy] in
          if let response { Self.respond(response, to: client) } else { proxy.adopt(client) }
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private static func respond(_ response: String, to client: Int32) {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    guard recv(client, &bytes, bytes.count, 0) > 0 else {
      close(client)
      return
    }
    _ = LoopbackSocket.send(Array(response.utf8)[...], to: client)
    shutdown(client, Int32(SHUT_WR))
    // Until the client closes the connection: unread bytes would reset it.
    while recv(client, &bytes, bytes.count, 0) > 0 {}
    close(client)
  }
}

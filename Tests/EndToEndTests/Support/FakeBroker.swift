import Foundation
import Glibc

/// A server that greets like a nats-server of a given version, and replies only to pings.
final class FakeBroker: Sendable {
  /// The reply to a ping.
  enum Reply: String {
    case pong = "PONG\r\n"
    /// The reply of a broker to a client that was too slow.
    case timeout = "-ERR 'Authentication Timeout'\r\n"
    case none = ""
  }

  let port: UInt16
  private let listener: Int32

  var url: String { "nats://127.0.0.1:\(port)" }

  init(version: String, reply: Reply = .pong) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) + listen(descriptor, 16) + getsockname(descriptor, $0, &size)
      }
    }
    guard failed == 0 else { throw WireError.notConnected(errno: errno) }
    (listener, port) = (descriptor, UInt16(bigEndian: address.sin_port))
    let greeting = """
      INFO {"server_id":"x","version":"\(version)","host":"127.0.0.1","port":\(port),\
      "headers":true,"max_payload":8388608,"proto":1,"jetstream":true}\r\n
      """
    Thread.detachNewThread {
      while true {
        let client = accept(descriptor, nil, nil)
        if client < 0, errno == EINTR || errno == ECONNABORTED { continue }
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        Thread.detachNewThread { Self.serve(client, greeting, reply) }
      }
    }
  }

  deinit {
    // Wakes the accepting thread, which returns without closing the socket.
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private static func serve(_ client: Int32, _ greeting: String, _ reply: Reply) {
    defer { close(client) }
    write(greeting, to: client)
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while recv(client, &byte, 1, 0) == 1 {
      line.append(byte)
      guard byte == UInt8(ascii: "\n") else { continue }
      if line.starts(with: "PING".utf8) { write(reply.rawValue, to: client) }
      line = []
    }
  }

  private static func write(_ text: String, to client: Int32) {
    let bytes = Array(text.utf8)
    _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}

import ClientSockets
import Foundation
import Glibc
import Synchronization
import TestSupport

/// A server on the loopback address.
///
/// Each connection executes the next of its scripts.
final class ScriptedServer: Sendable {
  typealias Script = @Sendable (Peer) -> Void

  let address: ServerAddress
  private let listener: Int32
  private let accepted = Atomic(0)

  /// The number of connections that were accepted.
  var connectionCount: Int { accepted.load(ordering: .relaxed) }

  /// Starts to listen.
  ///
  /// Connections after the last script are closed immediately.
  convenience init(_ scripts: Script...) throws {
    try self.init(scripts)
  }

  /// Starts to listen.
  ///
  /// Connections after the last script are closed immediately.
  init(_ scripts: [Script]) throws {
    let (listener, port) = try LoopbackSocket.listening()
    self.listener = listener
    address = ServerAddress(host: "127.0.0.1", port: port)
    // Use threads of its own: all of them block, and the number of Dispatch threads is bounded.
    Thread.detachNewThread { [weak self] in
      for number in 0... {
        let connection = LoopbackSocket.accept(from: listener)
        guard let connection, let self else {
          // Close the socket here and not in `deinit`: another socket could get the number of the
          // descriptor while this thread still accepts from it.
          if let connection { close(connection) }
          close(listener)
          return
        }
        accepted.add(1, ordering: .relaxed)
        guard number < scripts.count else {
          close(connection)
          continue
        }
        Thread.detachNewThread {
          let peer = Peer(connection)
          scripts[number](peer)
          close(connection)
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
  }
}

/// The server's end of a connection.
struct Peer {
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Waits for a request; returns its first line and its body, or `nil` at the end of the connection.
  func request() -> (line: String, body: String)? {
    var text = ""
    var byte: UInt8 = 0
    while !text.hasSuffix("\r\n\r\n") {
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      text.unicodeScalars.append(Unicode.Scalar(byte))
    }
    let lines = text.split(separator: "\r\n").map(String.init)
    let length = lines.compactMap { line in
      line.hasPrefix("Content-Length: ") ? Int(line.dropFirst(16)) : nil
    }.first
    var body = ""
    while body.utf8.count < length ?? 0 {
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      body.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return (lines.first ?? "", body)
  }

  func send(_ text: String) {
    _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
  }

  /// Responds to a request.
  func respond(_ body: String = "") {
    send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// Ends the connection with a reset.
  func resetAtEnd() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Waits for the end of the connection.
  func waitForEnd() {
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) == 1 {}
  }
}

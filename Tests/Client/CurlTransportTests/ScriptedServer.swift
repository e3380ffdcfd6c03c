import CurlTransport
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
  let port: UInt16
  private let listener: Listener
  private let accepted = Atomic(0)
  private let open = Atomic(0)

  /// A socket that is closed when neither the server nor its thread uses it: before, another socket could
  /// get the number of its descriptor.
  private final class Listener: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
  }

  /// The number of connections that were accepted.
  var connectionCount: Int { accepted.load(ordering: .relaxed) }

  /// The number of connections whose script has not ended.
  var openCount: Int { open.load(ordering: .relaxed) }

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
    let (descriptor, port) = try LoopbackSocket.listening()
    let listener = Listener(descriptor)
    (self.listener, self.port) = (listener, port)
    address = ServerAddress(host: "127.0.0.1", port: port)
    // Use threads of its own: all of them block, and the number of Dispatch threads is bounded.
    Thread.detachNewThread { [weak self] in
      for number in 0... {
        let connection = LoopbackSocket.accept(from: listener.descriptor)
        guard let connection, let self else {
          if let connection { close(connection) }
          return
        }
        open.add(1, ordering: .relaxed)
        accepted.add(1, ordering: .relaxed)
        guard number < scripts.count else {
          close(connection)
          open.subtract(1, ordering: .relaxed)
          continue
        }
        Thread.detachNewThread {
          let peer = Peer(connection)
          scripts[number](peer)
          close(connection)
          self.open.subtract(1, ordering: .relaxed)
        }
      }
    }
  }

  deinit {
    shutdown(listener.descriptor, Int32(SHUT_RDWR))
  }
}

/// The server's end of a connection.
struct Peer {
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Waits for a request; returns its head and its body, or `nil` at the end of the connection.
  func request() -> (line: String, head: [String], body: String)? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while !bytes.ends(with: "\r\n\r\n".utf8) {
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      bytes.append(byte)
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    let length = lines.compactMap { line in
      line.hasPrefix("Content-Length: ") ? Int(line.dropFirst(16)) : nil
    }.first
    var body: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while body.count < length ?? 0 {
      let count = recv(descriptor, &part, min(part.count, (length ?? 0) - body.count), 0)
      guard count > 0 else { return nil }
      body += part[..<count]
    }
    return (lines.first ?? "", lines, String(decoding: body, as: UTF8.self))
  }

  /// Sends all bytes; returns `false` if the client has closed the connection.
  @discardableResult
  func send(_ text: String) -> Bool {
    LoopbackSocket.send(Array(text.utf8)[...], to: descriptor)
  }

  /// Waits until the client has made room for bytes; returns `false` if the time passes first.
  func isWritable(withinMilliseconds milliseconds: Int32) -> Bool {
    var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&watched, 1, milliseconds) > 0
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

extension [UInt8] {
  fileprivate func ends(with bytes: String.UTF8View) -> Bool {
    suffix(bytes.count).elementsEqual(bytes)
  }
}

import Dispatch
import Glibc
import TerminalClient
import TestSupport

/// A socket on the loopback address that sends fixed bytes on one connection.
struct ListeningSocket {
  let address: ServerAddress
  private let descriptor: Int32

  init() throws {
    let (descriptor, port) = try LoopbackSocket.listening(backlog: 1)
    self.descriptor = descriptor
    address = ServerAddress(host: "127.0.0.1", port: port)
  }

  /// Accepts one connection on another thread, reads a request, sends the response and closes.
  ///
  /// - Parameters:
  ///   - response: The bytes to send.
  ///   - isSilent: Whether the connection stays open without further bytes until the client closes it.
  func serveOnce(_ response: String, isSilent: Bool = false) {
    DispatchQueue(label: "serve").async { [descriptor] in
      guard let connection = LoopbackSocket.accept(from: descriptor) else { return }
      var buffer = [UInt8](repeating: 0, count: 4_096)
      _ = recv(connection, &buffer, buffer.count, 0)
      _ = send(connection, response, response.utf8.count, Int32(MSG_NOSIGNAL))
      while isSilent, recv(connection, &buffer, buffer.count, 0) > 0 {}
      _ = Glibc.close(connection)
    }
  }

  /// Closes the socket; a thread that waits for a connection returns.
  func close() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    _ = Glibc.close(descriptor)
  }
}

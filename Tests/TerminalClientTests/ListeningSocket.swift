import Dispatch
import Glibc
import TerminalClient

/// A socket on the loopback address that sends fixed bytes on one connection.
struct ListeningSocket {
  struct Failure: Error {}

  let address: ServerAddress
  private let descriptor: Int32

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) + listen(descriptor, 1)
          + getsockname(descriptor, $0, &length)
      }
    }
    guard code == 0 else { throw Failure() }
    address = ServerAddress(host: "127.0.0.1", port: UInt16(bigEndian: name.sin_port))
  }

  /// Accepts one connection on another thread, reads a request, sends the response and closes.
  ///
  /// - Parameters:
  ///   - response: The bytes to send.
  ///   - isSilent: Whether the connection stays open without further bytes until the client closes it.
  func serveOnce(_ response: String, isSilent: Bool = false) {
    DispatchQueue(label: "serve").async { [descriptor] in
      let connection = accept(descriptor, nil, nil)
      guard connection >= 0 else { return }
      // A child process of another test that inherits the connection would keep it open.
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
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

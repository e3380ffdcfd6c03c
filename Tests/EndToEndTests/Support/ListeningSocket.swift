import Glibc

/// A listening socket that a test creates and retains, as systemd does for its services.
final class ListeningSocket: Sendable {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) + listen(descriptor, 128) + getsockname(descriptor, $0, &size)
      }
    }
    guard failed == 0 else { throw WireError.notConnected(errno: errno) }
    port = UInt16(bigEndian: address.sin_port)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Starts the service with this socket.
  func activate(_ flags: String..., environment: [String: String] = [:]) throws -> ChildProcess {
    // The environment has the process id, so that a shell sets it and then becomes the service.
    let program = try ReactordProcess.path()
    return try ChildProcess(
      "/bin/sh", ["-c", "LISTEN_PID=$$ exec \"$0\" serve \"$@\"", program] + flags,
      environment: environment.merging(["LISTEN_FDS": "1"]) { $1 }, handingOver: descriptor)
  }
}

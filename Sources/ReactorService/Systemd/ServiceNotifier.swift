internal import Glibc

/// Notifies the service manager of the state of the process (sd_notify(3)).
struct ServiceNotifier: Sendable {
  /// A state of the process.
  enum State: String {
    /// The server accepts connections.
    case ready = "READY=1"
    /// The server drains.
    case stopping = "STOPPING=1"
    /// At startup, the process waits for another process to release the store, or for its brokers.
    case waiting = "STATUS=waiting for the store"
  }

  private let path: String?

  /// Reads the address from `NOTIFY_SOCKET`: a path, or `@` and an abstract name.
  init(_ environment: [String: String]) { path = environment["NOTIFY_SOCKET"] }

  /// Sends a notification if there is a service manager; does not block.
  ///
  /// - Returns: Whether the notification was sent.
  @discardableResult
  func notify(_ state: State) -> Bool {
    guard let path, let first = path.utf8.first else { return false }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
      path.utf8.count < MemoryLayout.size(ofValue: address.sun_path)
    else { return false }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      unsafe bytes.copyBytes(from: path.utf8)
      if first == UInt8(ascii: "@") { unsafe bytes[0] = 0 }
    }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let size = socklen_t(start + path.utf8.count)
    let socket = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { return false }
    defer { close(socket) }
    let text = Array(state.rawValue.utf8)
    return unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(socket, text, text.count, Int32(MSG_NOSIGNAL), address, size) == text.count
      }
    }
  }
}

internal import Glibc

/// What whoever started the process is told of how it is doing (sd_notify(3)).
struct ServiceNotices: Sendable {
  /// What it can be told.
  enum News: String {
    /// Connections are accepted.
    case ready = "READY=1"
    /// The process is about to end.
    case stopping = "STOPPING=1"
    /// The start waits for another process to let go of the store.
    case waiting = "STATUS=waiting for the store"
  }

  private let path: String?

  /// Takes the address from `NOTIFY_SOCKET`: a path, or after an `@` a name without a file.
  init(_ environment: [String: String]) { path = environment["NOTIFY_SOCKET"] }

  /// Tells it, where there is one that listens; nobody waits for it.
  func tell(_ news: News) {
    guard let path, let first = path.utf8.first else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
      path.utf8.count < MemoryLayout.size(ofValue: address.sun_path)
    else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8)
      if first == UInt8(ascii: "@") { bytes[0] = 0 }
    }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let size = socklen_t(start + path.utf8.count)
    let socket = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    let text = Array(news.rawValue.utf8)
    withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(socket, text, text.count, Int32(MSG_NOSIGNAL), address, size)
      }
    }
  }
}

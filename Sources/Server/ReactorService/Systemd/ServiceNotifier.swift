internal import Glibc
internal import Synchronization

/// Notifies the service manager of the state of the process (sd_notify(3)).
///
/// All methods may be called on any thread.
final class ServiceNotifier: Sendable {
  /// A state of the process.
  enum State: String {
    /// The server accepts connections.
    case ready = "READY=1"
    /// The server drains.
    case stopping = "STOPPING=1"
    /// The threads of the service respond.
    case watchdog = "WATCHDOG=1"
    /// At startup, the process waits for another process to release the store, or for its database.
    case waiting = "STATUS=waiting for the store"
  }

  /// The time within which a thread that hangs must be noticed, which is less than the time after which
  /// the service manager ends a process without notifications, or `nil` if it never does.
  let watchdog: Duration?

  private let path: String?
  /// The last of `ready` and `stopping`, or `nil` before the server accepts connections.
  private let phase = Mutex<State?>(nil)

  /// Reads the address from `NOTIFY_SOCKET`: a path, or `@` and an abstract name; and the interval from
  /// `WATCHDOG_USEC`, unless `WATCHDOG_PID` is another process.
  init(_ environment: [String: String]) {
    path = environment["NOTIFY_SOCKET"]
    let process = environment["WATCHDOG_PID"]
    let interval = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    watchdog =
      interval > 0 && process.map { $0 == "\(getpid())" } ?? true
      ? .microseconds(interval) * 3 / 4 : nil
  }

  /// Sends a notification if there is a service manager; does not block.
  ///
  /// - Returns: Whether the notification was sent.
  @discardableResult
  func notify(_ state: State) -> Bool {
    phase.withLock { phase in
      if state == .ready || state == .stopping { phase = state }
      return send(state.rawValue)
    }
  }

  /// Notifies the service manager of the start and the end of a reload (`Type=notify-reload`).
  ///
  /// A reload before the service is ready, and one while it stops, is not announced: its end would announce
  /// a service that is ready.
  func reloading(_ reload: () -> Void) {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    let microseconds = Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
    phase.withLock { phase in
      if phase == .ready { _ = send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)") }
    }
    reload()
    phase.withLock { phase in
      if phase == .ready { _ = send(State.ready.rawValue) }
    }
  }

  private func send(_ message: String) -> Bool {
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
    let text = Array(message.utf8)
    return unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(socket, text, text.count, Int32(MSG_NOSIGNAL), address, size) == text.count
      }
    }
  }
}

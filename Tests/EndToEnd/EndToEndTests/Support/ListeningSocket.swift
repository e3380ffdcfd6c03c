import Glibc
import TestSupport

/// A listening socket that a test creates and retains, as systemd does for its services.
final class ListeningSocket: Sendable {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    (descriptor, port) = try LoopbackSocket.listening()
  }

  deinit { close(descriptor) }

  /// Starts the service with this socket.
  func activate(_ flags: String..., environment: [String: String] = [:]) throws -> ChildProcess {
    // `LISTEN_PID` is the id of the service's process: a shell sets it and then replaces itself
    // with the service.
    let program = try ReactordProcess.path()
    return try ChildProcess(
      "/bin/sh", ["-c", "LISTEN_PID=$$ exec \"$0\" serve \"$@\"", program] + flags,
      environment: ReactordProcess.longTimeLimits.merging(environment) { $1 }
        .merging(["LISTEN_FDS": "1"]) { $1 }, handingOver: descriptor)
  }
}

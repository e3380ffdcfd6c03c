internal import Glibc
internal import MicrohttpdServer
internal import Telemetry
internal import TerminalClient

/// The time that the start waits for other processes.
struct StartWait {
  private let deadline: ContinuousClock.Instant
  private var isWaiting = false

  init(_ time: Duration) { deadline = .now + time }

  /// Whether the time has elapsed.
  var hasElapsed: Bool { .now >= deadline }

  /// Returns whether this call is the first one, which reports the wait.
  mutating func begins() -> Bool {
    defer { isWaiting = true }
    return !isWaiting
  }
}

extension ServiceContext {
  /// Opens sockets at the addresses, and waits up to 10 s while another process has one of them: the
  /// service of a supervisor that was killed needs time to end.
  ///
  /// Blocks the thread.
  ///
  /// - Parameter open: Opens the sockets.
  /// - Returns: The result, or `nil` if the termination was requested while waiting.
  /// - Throws: An error if an address cannot be bound, or is not free in time.
  func whenAddressesAreFree<Result>(
    _ open: () throws(ServerError) -> Result
  ) throws(ConfigurationError) -> Result? {
    var wait = StartWait(min(configuration.startWait, .seconds(10)))
    while true {
      do throws(ServerError) {
        return try open()
      } catch {
        guard error.code == .addressInUse, !wait.hasElapsed else {
          throw .configuration("listen: \(error.message)")
        }
        if wait.begins() {
          logger.warning(
            "waiting for the address, which another process uses",
            ["address": configuration.listen.url])
        }
      }
      // Poll: the release of an address causes no notification.
      poll(nil, 0, 20)
      if termination.isRequested { return nil }
    }
  }
}

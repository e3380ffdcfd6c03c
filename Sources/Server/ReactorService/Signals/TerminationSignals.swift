internal import Dispatch
internal import Glibc

/// The signals of the process.
///
/// SIGTERM, SIGINT and SIGQUIT: the first one drains, a second one ends the process. SIGHUP reloads the
/// configuration. SIGPIPE, SIGUSR1 and SIGUSR2 are ignored.
public enum TerminationSignals {
  /// Installs the handlers; returns when no signal can be missed.
  ///
  /// Call it once, before the service accepts connections. The first terminating signal calls
  /// `termination.request()` on a queue of its own; a second one, even during that call, ends the
  /// process with exit code 1.
  public static func watch(_ termination: Termination) {
    watch(termination) {}
  }

  /// Installs the handlers; SIGHUP calls `reload`.
  static func watch(_ termination: Termination, reload: @escaping @Sendable () -> Void) {
    let draining = DispatchQueue(label: "reactord.draining")
    let reloading = DispatchQueue(label: "reactord.reloading")
    let count = SignalCount()
    handle { number in
      guard number != SIGHUP else { return reloading.async(execute: reload) }
      switch count.next() {
      case .drain: draining.async { termination.request() }
      case .exit: _exit(1)
      }
    }
  }

  /// Calls a function for each SIGHUP, SIGTERM, SIGINT and SIGQUIT, and ignores the other signals.
  static func handle(_ body: @escaping @Sendable (Int32) -> Void) {
    for number in [SIGPIPE, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
    let queue = DispatchQueue(label: "reactord.signals")
    for number in [SIGHUP, SIGTERM, SIGINT, SIGQUIT] { handle(number, on: queue) { body(number) } }
  }

  /// Calls a function for each delivery of a signal; returns once the handler is installed.
  private static func handle(
    _ number: Int32, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) {
    // A shell without job control starts background commands with SIGINT and SIGQUIT ignored.
    signal(number, SIG_DFL)
    let installed = DispatchSemaphore(value: 0)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler {
      for _ in 0..<max(1, source.data) { body() }
    }
    source.setRegistrationHandler { installed.signal() }
    source.resume()
    installed.wait()
  }
}

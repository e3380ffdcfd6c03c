internal import Dispatch
internal import Glibc

/// SIGTERM and SIGINT: the first asks for the end, the second is the end.
public enum TerminationSignals {
  /// Begins to listen, and returns when no signal can be missed any more.
  ///
  /// Called once, before the service accepts connections. The first signal calls
  /// `termination.request()` on a queue of its own; a second one, also while that call is still
  /// running, ends the process with exit code 1. SIGPIPE is ignored from here on: writing to a peer
  /// that left is an error of that call, not the end of the process.
  public static func watch(_ termination: Termination) {
    signal(SIGPIPE, SIG_IGN)
    let queue = DispatchQueue(label: "reactord.signals")
    let draining = DispatchQueue(label: "reactord.draining")
    let installed = DispatchSemaphore(value: 0)
    let count = SignalCount()
    for number in [SIGTERM, SIGINT] {
      // A shell without job control starts background commands with SIGINT ignored.
      signal(number, SIG_DFL)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        for _ in 0..<max(1, source.data) {
          switch count.next() {
          case .drain: draining.async { termination.request() }
          case .exit: _exit(1)
          }
        }
      }
      source.setRegistrationHandler { installed.signal() }
      source.resume()
      installed.wait()
    }
  }
}

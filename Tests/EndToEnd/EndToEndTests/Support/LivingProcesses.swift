import Glibc
import Synchronization

/// The processes that the tests have started; killed when the test process exits.
final class LivingProcesses: Sendable {
  static let shared = LivingProcesses()

  private let identifiers = Mutex<Set<pid_t>>([])

  private init() {
    atexit { LivingProcesses.shared.killAll() }
  }

  func add(_ id: pid_t) {
    identifiers.withLock { _ = $0.insert(id) }
  }

  func remove(_ id: pid_t) {
    identifiers.withLock { _ = $0.remove(id) }
  }

  /// Sends a signal to a process that has not been reaped.
  func signal(_ id: pid_t, _ number: Int32) {
    identifiers.withLock { identifiers in
      if identifiers.contains(id) { kill(id, number) }
    }
  }

  private func killAll() {
    identifiers.withLock { identifiers in
      for id in identifiers { kill(id, SIGKILL) }
    }
  }
}

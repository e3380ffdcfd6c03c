internal import Synchronization

/// Decides the effect of SIGTERM, SIGINT and SIGQUIT by the number of signals received.
final class SignalCount: Sendable {
  enum Effect: Equatable {
    /// Drain, then exit.
    case drain

    /// Exit immediately.
    case exit
  }

  private let hasDrained = Atomic(false)

  /// Counts a signal, and returns its effect.
  func next() -> Effect {
    hasDrained.exchange(true, ordering: .relaxed) ? .exit : .drain
  }
}

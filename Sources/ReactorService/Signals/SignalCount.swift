internal import Synchronization

/// Decides the effect of SIGTERM and SIGINT by the number of signals received.
final class SignalCount: Sendable {
  enum Effect: Equatable {
    /// Drain, then exit.
    case drain

    /// Exit immediately.
    case exit
  }

  private let hasDrained = Atomic(false)

  /// The effect of the next signal.
  func next() -> Effect {
    hasDrained.exchange(true, ordering: .relaxed) ? .exit : .drain
  }
}

internal import Synchronization

/// Decides what a signal does, whichever of the two it is.
final class SignalCount: Sendable {
  enum Effect: Equatable {
    /// Finish what runs, then end.
    case drain

    /// End now.
    case exit
  }

  private let hasDrained = Atomic(false)

  /// What the signal that just came does.
  func next() -> Effect {
    hasDrained.exchange(true, ordering: .relaxed) ? .exit : .drain
  }
}

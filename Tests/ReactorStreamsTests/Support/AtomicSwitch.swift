import Synchronization

/// Something that is on or off, which any thread may turn.
final class AtomicSwitch: Sendable {
  private let isOn = Atomic<Bool>(false)

  /// Turns it.
  ///
  /// - Returns: What it was before.
  func turn(on: Bool) -> Bool {
    isOn.exchange(on, ordering: .acquiringAndReleasing)
  }
}

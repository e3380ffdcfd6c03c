import Synchronization

/// A flag that any thread may change.
final class AtomicSwitch: Sendable {
  private let isOn = Atomic<Bool>(false)

  /// Sets the flag.
  ///
  /// - Returns: The previous value.
  func turn(on: Bool) -> Bool {
    isOn.exchange(on, ordering: .acquiringAndReleasing)
  }
}

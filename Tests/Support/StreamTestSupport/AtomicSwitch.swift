import Synchronization

/// A flag that any thread may change.
package final class AtomicSwitch: Sendable {
  private let isOn = Atomic<Bool>(false)

  package init() {}

  /// Sets the flag.
  ///
  /// - Returns: The previous value.
  package func turn(on: Bool) -> Bool {
    isOn.exchange(on, ordering: .acquiringAndReleasing)
  }
}

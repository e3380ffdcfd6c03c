internal import Synchronization

/// A flag that any thread can set once.
package final class AtomicFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  package init() {}

  package var isSet: Bool {
    flag.load(ordering: .acquiring)
  }

  /// Sets the flag.
  ///
  /// - Returns: Whether this call set it.
  @discardableResult
  package func set() -> Bool {
    !flag.exchange(true, ordering: .acquiringAndReleasing)
  }
}

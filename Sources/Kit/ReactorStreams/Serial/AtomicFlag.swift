internal import Synchronization

/// A flag that any thread can set once.
final class AtomicFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSet: Bool {
    flag.load(ordering: .acquiring)
  }

  /// Sets the flag.
  ///
  /// - Returns: Whether this call set it.
  @discardableResult
  func set() -> Bool {
    !flag.exchange(true, ordering: .acquiringAndReleasing)
  }
}

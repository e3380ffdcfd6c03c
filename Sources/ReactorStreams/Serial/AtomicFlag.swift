internal import Synchronization

/// A flag that several closures share and any thread may set.
final class AtomicFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSet: Bool {
    flag.load(ordering: .acquiring)
  }

  /// Sets the flag.
  ///
  /// - Returns: Whether it was not set before.
  @discardableResult
  func set() -> Bool {
    !flag.exchange(true, ordering: .acquiringAndReleasing)
  }
}

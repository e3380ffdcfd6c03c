internal import Synchronization

/// Counts activities, and lets one thread wait until there are none.
package final class ActivityCount: Sendable {
  private let count = Atomic<Int>(0)
  private let isAwaited = Atomic<Bool>(false)
  private let waker: Waker

  /// Creates a count of 0, or returns `nil` if the process has no descriptors left.
  package init?() {
    guard let waker = Waker() else { return nil }
    self.waker = waker
  }

  /// The number of activities right now.
  package var current: Int { count.load(ordering: .relaxed) }

  /// Counts an activity that begins.
  package func enter() { count.add(1, ordering: .sequentiallyConsistent) }

  /// Removes an activity that has ended.
  package func leave() {
    // Sequentially consistent on both sides: either this sees the waiter, or the waiter sees zero.
    let (_, now) = count.subtract(1, ordering: .sequentiallyConsistent)
    if now == 0, isAwaited.load(ordering: .sequentiallyConsistent) { waker.wake() }
  }

  /// Blocks until the count is 0; one thread at a time.
  ///
  /// - Parameter deadline: When to give up, in ``Clock/milliseconds``.
  /// - Returns: `false` if the deadline passed first.
  package func waitUntilIdle(deadline: Int64) -> Bool {
    isAwaited.store(true, ordering: .sequentiallyConsistent)
    defer { isAwaited.store(false, ordering: .sequentiallyConsistent) }
    while count.load(ordering: .sequentiallyConsistent) != 0 {
      let remaining = deadline - Clock.milliseconds
      guard remaining > 0 else { return false }
      waker.wait(milliseconds: remaining)
    }
    return true
  }
}

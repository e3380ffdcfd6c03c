internal import Synchronization

/// Counts what is going on, and lets one thread wait until nothing is.
final class ActivityCount: Sendable {
  private let count = Atomic<Int>(0)
  private let isAwaited = Atomic<Bool>(false)
  private let bell: WakeEvent

  init() throws(ServerError) { bell = try WakeEvent() }

  /// How much is going on.
  var current: Int { count.load(ordering: .relaxed) }

  /// Something begins.
  func enter() { count.add(1, ordering: .sequentiallyConsistent) }

  /// Something has ended.
  func leave() {
    // Both sides are sequentially consistent, so that either this sees the waiter or the waiter
    // sees zero.
    let (_, now) = count.subtract(1, ordering: .sequentiallyConsistent)
    if now == 0, isAwaited.load(ordering: .sequentiallyConsistent) { bell.ring() }
  }

  /// Blocks until nothing is going on or the clock shows `deadline` (milliseconds); false when it
  /// was the deadline.
  ///
  /// One thread at a time.
  func waitUntilIdle(deadline: Int64) -> Bool {
    isAwaited.store(true, ordering: .sequentiallyConsistent)
    defer { isAwaited.store(false, ordering: .sequentiallyConsistent) }
    while count.load(ordering: .sequentiallyConsistent) != 0 {
      let remaining = deadline - Clock.milliseconds
      guard remaining > 0 else { return false }
      bell.wait(milliseconds: remaining)
    }
    return true
  }
}

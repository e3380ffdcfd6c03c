/// One unit of work: what a loop does before it returns to its queue.
///
/// Folds, copies, sweeps and broadcasts are loops. Each begins a slice, reports the bytes of every step,
/// and returns to its queue when the slice is over: after 5 ms or 1 MiB, whichever comes first. So the
/// work of a client delays that of others by at most one slice and one step.
package struct WorkSlice: Sendable {
  /// The time of a slice.
  package static let time = Duration.milliseconds(5)
  /// The bytes of a slice: about what is read or copied in 5 ms.
  package static let bytes = 1 << 20
  /// The bytes that are copied or deleted in a transaction for which others wait.
  package static let sharedBytes = 1 << 16

  private let now: @Sendable () -> ContinuousClock.Instant
  private let end: ContinuousClock.Instant
  /// The bytes that remain.
  package private(set) var remainingBytes = WorkSlice.bytes
  /// Whether ``isOver(after:)`` has returned `true`.
  package private(set) var hasEnded = false

  /// Begins a slice.
  ///
  /// - Parameter now: Returns the time.
  package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.now = now
    end = now() + Self.time
  }

  /// Records bytes that were read, copied or written.
  ///
  /// - Parameter bytes: The number of bytes.
  /// - Returns: Whether the slice is over.
  package mutating func isOver(after bytes: Int = 0) -> Bool {
    remainingBytes -= bytes
    hasEnded = remainingBytes <= 0 || now() >= end
    return hasEnded
  }
}

internal import Synchronization

/// Bounds the number of entries that forks have copied.
///
/// A request for a fork is small, and its copy is as large as a history.
final class ForkQuota: Sendable {
  private let limit: Int
  private let used = Atomic<Int>(0)

  /// Creates a quota of a number of entries.
  init(entries: Int) {
    limit = entries
  }

  /// Adds the entries of a fork unless they exceed the limit; returns whether it did.
  func reserve(_ entries: Int) -> Bool {
    if used.add(entries, ordering: .relaxed).newValue <= limit { return true }
    release(entries)
    return false
  }

  /// Removes the entries of a fork that has ended.
  func release(_ entries: Int) {
    used.subtract(entries, ordering: .relaxed)
  }
}

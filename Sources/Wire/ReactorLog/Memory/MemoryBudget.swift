internal import Synchronization

/// Bounds the bytes of the histories of all sessions in memory.
final class MemoryBudget: Sendable {
  private let limit: Int
  private let used = Atomic<Int>(0)

  /// Creates a budget of a number of bytes.
  init(bytes: Int) {
    limit = bytes
  }

  /// Adds bytes unless they exceed the limit; returns whether it did.
  func reserve(_ bytes: Int) -> Bool {
    if used.add(bytes, ordering: .relaxed).newValue <= limit { return true }
    release(bytes)
    return false
  }

  /// Adds bytes, within the limit or beyond it.
  func take(_ bytes: Int) {
    used.add(bytes, ordering: .relaxed)
  }

  /// Removes bytes that were deleted.
  func release(_ bytes: Int) {
    used.subtract(bytes, ordering: .relaxed)
  }
}

extension LogEntry {
  /// The bytes of the entry in memory, approximately.
  var byteCount: Int {
    MemoryLayout<LogEntry>.stride + mutation.count + (action?.count ?? 0) + (by?.utf8.count ?? 0)
  }
}

internal import Shares

/// Bounds the bytes of the histories of all sessions in memory.
struct MemoryBudget: Sendable {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  /// Adds bytes unless they exceed the bound, or half of it for copies of histories, which leave the rest to
  /// writes; returns whether it did.
  func reserve(_ bytes: Int, forCopy isCopy: Bool = false) -> Bool {
    take(bytes)
    let isWithin = !isCopy || ledger.used(.histories) <= ledger.memory / 2
    if isWithin, !ledger.mustRelease(.histories) { return true }
    release(bytes)
    return false
  }

  /// Adds bytes, within the bound or beyond it.
  func take(_ bytes: Int) { ledger.take(.histories, bytes, for: nil) }

  /// Removes bytes that were deleted.
  func release(_ bytes: Int) { ledger.release(.histories, bytes, of: nil) }
}

extension LogEntry {
  /// The bytes of the entry in memory, approximately.
  var byteCount: Int {
    MemoryLayout<LogEntry>.stride + mutation.count + (action?.count ?? 0) + (by?.utf8.count ?? 0)
  }
}

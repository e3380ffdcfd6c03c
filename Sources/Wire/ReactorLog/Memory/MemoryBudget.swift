internal import Shares

/// Bounds the bytes of the histories of all sessions in memory, and of what is stored beside them.
struct MemoryBudget: Sendable {
  /// The bytes of a session with an empty history, or with one that has ended.
  static let sessionBytes = 512

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

extension AcceptedAction {
  /// The bytes of the action in memory, approximately.
  var byteCount: Int {
    MemoryLayout<AcceptedAction>.stride + action.count + (principal?.count ?? 0)
      + (context?.count ?? 0)
  }
}

extension StoredTimer {
  /// The bytes of the timer in memory, approximately; the index of all timers has its id as well.
  var byteCount: Int { 2 * MemoryLayout<StoredTimer>.stride + id.utf8.count + action.count }
}

extension StoredOutcome {
  /// The bytes of the outcome in memory, approximately.
  var byteCount: Int {
    let bytes = MemoryLayout<StoredOutcome>.stride + key.name.utf8.count + key.body.utf8.count
    guard let reason = failure?.reason else { return bytes }
    return bytes + reason.title.utf8.count + (reason.detail?.utf8.count ?? 0)
      + (reason.data?.utf8.count ?? 0)
  }
}

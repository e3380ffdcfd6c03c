/// The number of outcomes of idempotency keys, in all and of each history.
///
/// Pure, and exact: it is counted once, and then adjusted by each insertion and deletion. A transaction
/// that is rolled back is undone.
struct OutcomeCounts {
  private(set) var total = 0
  private var ofHistory: [Int64: Int] = [:]
  /// The adjustments of the current transaction.
  private var adjustments: [(history: Int64, difference: Int)] = []

  /// Records that outcomes of a history were inserted, or deleted with a negative difference.
  mutating func adjust(_ history: Int64, by difference: Int) {
    guard difference != 0 else { return }
    adjustments.append((history, difference))
    apply(difference, to: history)
  }

  /// The transaction was committed.
  mutating func didCommit() { adjustments.removeAll(keepingCapacity: true) }

  /// The transaction was rolled back.
  mutating func didRollBack() {
    for (history, difference) in adjustments { apply(-difference, to: history) }
    adjustments = []
  }

  /// Whether a history has at least as many outcomes as the average one, so that it pays for a surplus.
  ///
  /// One history at least has.
  func hasLargeShare(_ history: Int64) -> Bool {
    (ofHistory[history] ?? 0) * ofHistory.count >= total
  }

  private mutating func apply(_ difference: Int, to history: Int64) {
    total += difference
    let count = (ofHistory[history] ?? 0) + difference
    ofHistory[history] = count > 0 ? count : nil
  }
}

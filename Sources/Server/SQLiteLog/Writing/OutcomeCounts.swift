internal import ReactorLog

/// The number of outcomes of idempotency keys, in all and of each owner.
///
/// Pure, and exact: it is counted once, and then adjusted by each insertion and deletion. A transaction
/// that is rolled back is undone.
struct OutcomeCounts {
  /// The payer of an outcome: a principal, or the history of a session whose clients have none.
  enum Owner: Hashable {
    case principal(String)
    case history(Int64)

    init(_ key: String, of history: Int64) {
      self = IdempotencyKey.principal(in: key).map { .principal(String($0)) } ?? .history(history)
    }
  }

  private(set) var total = 0
  private var ofOwner: [Owner: Int] = [:]
  /// The adjustments of the current transaction.
  private var adjustments: [(owner: Owner, difference: Int)] = []

  /// Records that outcomes of an owner were inserted, or deleted with a negative difference.
  mutating func adjust(_ owner: Owner, by difference: Int) {
    guard difference != 0 else { return }
    adjustments.append((owner, difference))
    apply(difference, to: owner)
  }

  /// The transaction was committed.
  mutating func didCommit() { adjustments.removeAll(keepingCapacity: true) }

  /// The transaction was rolled back.
  mutating func didRollBack() {
    for (owner, difference) in adjustments { apply(-difference, to: owner) }
    adjustments = []
  }

  /// Whether an owner has at least as many outcomes as the average one, so that it pays for a surplus.
  ///
  /// One owner at least has.
  func hasLargeShare(_ owner: Owner) -> Bool {
    (ofOwner[owner] ?? 0) * ofOwner.count >= total
  }

  private mutating func apply(_ difference: Int, to owner: Owner) {
    total += difference
    let count = (ofOwner[owner] ?? 0) + difference
    ofOwner[owner] = count > 0 ? count : nil
  }
}

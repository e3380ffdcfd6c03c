/// The latest outcomes of a session's idempotency keys, in memory.
struct MemoryOutcomes: Sendable {
  /// The maximum number per session.
  static let bound = 10_000

  private var outcomes: [String: StoredOutcome] = [:]
  /// The keys in the order of their insertion; those before `oldest` are deleted.
  private var order: [String] = []
  private var oldest = 0

  subscript(key: String) -> StoredOutcome? { outcomes[key] }

  /// The number of outcomes.
  var count: Int { outcomes.count }

  /// Inserts an outcome, and deletes those that are older by a number of milliseconds.
  mutating func insert(_ outcome: StoredOutcome, forgettingAfter time: Int64) {
    if outcomes.updateValue(outcome, forKey: outcome.key.name) == nil {
      order.append(outcome.key.name)
    }
    while oldest < order.count - 1, let first = outcomes[order[oldest]],
      outcomes.count > Self.bound
        || outcome.at.milliseconds - first.at.milliseconds >= time
    {
      outcomes[order[oldest]] = nil
      oldest += 1
    }
    // Amortized: a deletion costs no more than an insertion.
    if oldest > 64, oldest > order.count / 2 {
      order.removeFirst(oldest)
      oldest = 0
    }
  }
}

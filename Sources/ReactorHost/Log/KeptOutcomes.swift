/// The answers that a session in memory keeps for idempotency keys: the latest, for a while.
struct KeptOutcomes: Sendable {
  /// A session keeps so many at most.
  static let bound = 10_000

  private var outcomes: [String: KeptOutcome] = [:]
  /// The keys in the order in which they were kept; what is before `oldest` is forgotten.
  private var order: [String] = []
  private var oldest = 0

  subscript(key: String) -> KeptOutcome? { outcomes[key] }

  /// How many there are.
  var count: Int { outcomes.count }

  /// Keeps an answer, and forgets those that were kept for so many milliseconds.
  mutating func keep(_ outcome: KeptOutcome, forgettingAfter time: Int64) {
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
    // Now and then, so that forgetting costs no more than keeping.
    if oldest > 64, oldest > order.count / 2 {
      order.removeFirst(oldest)
      oldest = 0
    }
  }
}

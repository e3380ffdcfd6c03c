/// The answers that a session in memory keeps for idempotency keys: the latest so many.
struct KeptOutcomes: Sendable {
  private let bound: Int
  private var outcomes: [String: KeptOutcome] = [:]
  /// The keys in the order in which they were kept; what is before `oldest` is forgotten.
  private var order: [String] = []
  private var oldest = 0

  /// Makes room for so many answers; with one more the oldest one is forgotten.
  init(bound: Int) {
    self.bound = bound
  }

  subscript(key: String) -> KeptOutcome? { outcomes[key] }

  /// Keeps an answer.
  mutating func keep(_ outcome: KeptOutcome) {
    if outcomes.updateValue(outcome, forKey: outcome.key.name) == nil {
      order.append(outcome.key.name)
    }
    while outcomes.count > bound {
      outcomes[order[oldest]] = nil
      oldest += 1
    }
    // Now and then, so that forgetting costs no more than keeping.
    if oldest > bound {
      order.removeFirst(oldest)
      oldest = 0
    }
  }
}

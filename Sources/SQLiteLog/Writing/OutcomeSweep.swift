internal import ReactorHost

/// Removes the answers of idempotency keys that were kept for long enough, a few with each group.
struct OutcomeSweep {
  /// How often it looks for some.
  private static let interval = Duration.seconds(60)
  private static let rowsAStep = 500

  private let kept: Duration
  private let bound: Int
  private let count: Statement
  private let removeOld: Statement
  private let removeOldest: Statement
  /// How many there are at most; `nil` where nobody has counted.
  private var known: Int?
  // Not by the clock on the wall, which may be set.
  private var due = ContinuousClock.now

  init(_ connection: Connection, _ rules: StoreRules) throws(DatabaseError) {
    kept = rules.outcomesKept
    bound = rules.outcomeBound
    count = try connection.prepare("SELECT count(*) FROM outcomes")
    removeOld = try connection.prepare(
      """
      DELETE FROM outcomes WHERE (session, key) IN (
        SELECT session, key FROM outcomes WHERE at <= ?1 ORDER BY at LIMIT \(Self.rowsAStep))
      """)
    removeOldest = try connection.prepare(
      """
      DELETE FROM outcomes WHERE (session, key) IN (
        SELECT session, key FROM outcomes ORDER BY at LIMIT ?1)
      """)
  }

  /// Whether there may be something to remove.
  var isDue: Bool { ContinuousClock.now >= due }

  /// One more was kept, or one in place of another.
  mutating func didKeepOne() {
    known = known.map { $0 + 1 }
    if let known, known > bound { due = .now }
  }

  /// Removes some, within a transaction.
  mutating func removeSome(now: Timestamp) throws(DatabaseError) {
    guard isDue else { return }
    try removeOld.bind(1, now.milliseconds - kept.milliseconds)
    try removeOld.run()
    guard removeOld.changeCount == 0 else {
      known = nil
      return
    }
    guard try removeSurplus() else { return }
    due = .now + min(Self.interval, kept)
  }

  /// - Returns: Whether there are no more than there may be.
  private mutating func removeSurplus() throws(DatabaseError) -> Bool {
    if known.map({ $0 > bound }) ?? true {
      guard try count.step() else { return true }
      known = count.number(0)
      count.reset()
    }
    guard let known, known > bound else { return true }
    try removeOldest.bind(1, min(known - bound, Self.rowsAStep))
    try removeOldest.run()
    self.known = nil
    return false
  }

  /// A transaction was taken back, and with it perhaps what was counted.
  mutating func didTakeBack() {
    known = nil
    due = .now
  }
}

extension Duration {
  /// The whole milliseconds, as many as there are room for.
  fileprivate var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max / 2 : product + attoseconds / 1_000_000_000_000_000
  }
}

/// How much a store retains.
package struct StoreRules: Sendable {
  /// The retention of the sessions' logs.
  package var retention = RetentionRules()

  /// The schemas whose snapshots may replace deleted entries.
  package var schemas = ReadableSchemas()

  /// How long outcomes of idempotency keys are retained.
  package var outcomeRetention = IdempotencyKey.retention

  /// The maximum number of outcomes.
  package var outcomeBound = 1_000_000

  /// How long changes are retained; zero for not at all.
  package var changeRetention = Duration.zero

  /// Creates rules.
  package init(
    retention: RetentionRules = RetentionRules(), schemas: ReadableSchemas = ReadableSchemas(),
    outcomeRetention: Duration = IdempotencyKey.retention, outcomeBound: Int = 1_000_000,
    changeRetention: Duration = .zero
  ) {
    self.retention = retention
    self.schemas = schemas
    self.outcomeRetention = outcomeRetention
    self.outcomeBound = outcomeBound
    self.changeRetention = changeRetention
  }
}

extension Duration {
  /// The whole milliseconds, clamped, for a difference of timestamps.
  package var retainedMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max / 2 : product + attoseconds / 1_000_000_000_000_000
  }
}

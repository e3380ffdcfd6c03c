internal import ReactorLog

/// How much a store retains.
struct StoreRules: Sendable {
  /// The retention of the sessions' logs.
  var retention = RetentionRules()

  /// The schemas whose snapshots may replace deleted entries.
  var schemas = ReadableSchemas()

  /// How long outcomes of idempotency keys are retained.
  var outcomeRetention = IdempotencyKey.retention

  /// The maximum number of outcomes.
  var outcomeBound = 1_000_000

  /// How long changes are retained; zero for not at all.
  var changeRetention = Duration.zero
}

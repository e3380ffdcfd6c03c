internal import ReactorHost

/// How much a store keeps.
struct StoreRules: Sendable {
  /// What is kept of the sessions' logs.
  var retention = RetentionRules()

  /// Whose snapshots may stand in for what is removed.
  var schemas = ReadableSchemas()

  /// How long the answers of idempotency keys are kept.
  var outcomesKept = Duration.seconds(86_400)

  /// How many of them at most.
  var outcomeBound = 1_000_000
}

internal import ReactorLog

/// A fold of a session's log: a State of the past, without a session.
///
/// One thread at a time uses it.
protocol SessionFold: AnyObject, Sendable {
  /// The version of the State.
  var version: Int { get }

  /// Reduces entries that follow the version without a gap.
  ///
  /// - Throws: If one cannot be decoded; the State and the version are the former ones then.
  func fold(_ entries: some Sequence<LogEntry>) throws

  /// The State that `reduce` gets next.
  var state: any Sendable { get }

  /// The State as clients see it, as JSON.
  func encodeShown() throws -> [UInt8]
}

internal import ReactorLog

/// A fold of a session's log: a State of the past, without a session.
///
/// One thread at a time uses it.
protocol SessionFold: AnyObject, Sendable {
  /// The version of the State.
  var version: Int { get }

  /// Reduces entries that follow the version without a gap.
  ///
  /// - Throws: If an entry cannot be decoded. The State and the version are then unchanged.
  func fold(_ entries: some Sequence<LogEntry>) throws

  /// The folded State, to which `reduce` applies the next mutation.
  var state: any Sendable { get }

  /// Encodes the State that clients see, as JSON.
  func encodeShown() throws -> [UInt8]
}

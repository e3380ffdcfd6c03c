/// A session that was read from its log: the data that is needed to continue it in memory.
public struct LoadedSession: Sendable {
  /// The state of the session.
  ///
  /// Unless it is stored, the other properties are empty.
  public var record: SessionRecord

  /// The State to begin the fold with; `nil` begins with version 0.
  ///
  /// The latest snapshot of the requested schema. If there is none, and retention has removed the
  /// first entries of the log, the latest snapshot of any schema.
  public var snapshot: Snapshot?

  /// The first entries after the snapshot, in order and without a gap; empty if there are none.
  ///
  /// At most one page, which the log bounds by bytes.
  /// ``SessionLog/entries(after:limit:)`` reads the remaining entries.
  public var entries: [LogEntry]

  /// The unfinished actions of the journal, in the order of their ids.
  public var acceptedActions: [AcceptedAction]

  /// The timers of the session, in no order.
  public var timers: [StoredTimer]

  /// The process that has appended last, or `nil` if the log does not store it.
  public var lastWriter: NodeID?

  /// Creates a loaded session.
  public init(
    _ record: SessionRecord, snapshot: Snapshot? = nil, entries: [LogEntry] = [],
    acceptedActions: [AcceptedAction] = [], timers: [StoredTimer] = [],
    lastWriter: NodeID? = nil
  ) {
    self.record = record
    self.snapshot = snapshot
    self.entries = entries
    self.acceptedActions = acceptedActions
    self.timers = timers
    self.lastWriter = lastWriter
  }

  /// The maximum length of ``entries``.
  package static let pageLength = 1000
}

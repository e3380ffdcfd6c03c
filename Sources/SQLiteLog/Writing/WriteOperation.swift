internal import ReactorLog

/// A change of the store, written completely or not at all.
enum WriteOperation: Sendable {
  /// Starts a history without mutations.
  case create(
    SessionKey, epoch: String, parameters: [UInt8]? = nil, replacesEnded: Bool = true)

  /// Appends a batch to a history; rejected unless the history is at the version.
  case append(SessionKey, LogBatch, epoch: String, version: Int)

  /// Ends a history.
  case end(SessionKey)

  /// Starts a history with a copy of another session's history up to a version; parameters replace
  /// those of the other session.
  case fork(
    SessionKey, at: Cursor, to: SessionKey, epoch: String, parameters: [UInt8]? = nil)

  /// Stores a snapshot.
  case save(SessionKey, Snapshot, epoch: String)

  /// Sets a global.
  case share(SharedValue, name: String)

  /// A no-op, with whose group the writer does the maintenance that is due.
  case maintenance

  /// The approximate number of bytes that the operation holds while it is pending.
  var size: Int {
    switch self {
    case .create(_, _, let parameters, _), .fork(_, _, _, _, let parameters):
      256 + (parameters?.count ?? 0)
    case .end, .maintenance: 256
    case .append(_, let batch, _, _):
      batch.entries.reduce(256) { $0 + 128 + $1.mutation.count + ($1.action?.count ?? 0) }
        + batch.accepted.reduce(0) { $0 + 256 + $1.action.count }
        + 512 * batch.outcomes.count
        + batch.timers.reduce(0) { $0 + 256 + ($1.timer?.action.count ?? 0) }
        + batch.failures.reduce(0) { $0 + 8192 + $1.action.count }
    case .share(let value, _): 256 + value.json.count
    case .save(_, let snapshot, _): 256 + snapshot.state.count
    }
  }
}

/// The result of a write operation.
enum WriteResult: Equatable {
  /// The change is on the disk.
  case written
  /// Nothing was changed.
  case rejected(LogError)
  /// A part is on the disk; the operation continues with the next group.
  case unfinished
}

/// The results of a group of write operations.
struct WriteOutcome {
  /// The result of each operation, in order.
  var results: [WriteResult] = []

  /// The error of the store that rejected operations; `nil` if their own values are the cause, and
  /// if none was rejected.
  var failure: DatabaseError?
}

/// A write operation with its completion.
///
/// A class, because queues and groups would copy a struct several times, and each copy would retain
/// the contents of the batch.
final class WriteRequest: Sendable {
  typealias Completion = @Sendable (Result<Void, LogError>) -> Void

  let operation: WriteOperation
  let size: Int
  let completion: Completion?

  init(_ operation: WriteOperation, completion: Completion?) {
    self.operation = operation
    self.completion = completion
    size = operation.size
  }

  /// Completes the request of a store that is open for reading only.
  func rejectWriting() {
    completion?(.failure(.unavailable("The store is open for reading only.")))
  }
}

/// A change of the store, written completely or not at all.
package enum WriteOperation: Sendable {
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
  package var size: Int {
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

extension WriteOperation {
  /// Executes the operation, and waits until it is complete.
  ///
  /// - Parameters:
  ///   - owner: See ``WriteRequest/owner``.
  ///   - begin: Writes the request of the operation.
  /// - Throws: The error with which the request is completed.
  package func execute(
    of owner: Int = 0, _ begin: (WriteRequest) -> Void
  ) async throws(LogError) {
    try await withCheckedContinuation { continuation in
      begin(WriteRequest(self, of: owner) { continuation.resume(returning: $0) })
    }.get()
  }
}

/// A write operation with its completion.
///
/// A class, because queues and groups would copy a struct several times, and each copy would retain
/// the contents of the batch.
package final class WriteRequest: Sendable {
  package typealias Completion = @Sendable (Result<Void, LogError>) -> Void

  /// The operation.
  package let operation: WriteOperation
  /// The bytes that it holds.
  package let size: Int
  /// The client that the operation takes turns for, or 0 for none.
  ///
  /// Operations whose order matters have the same one.
  package let owner: Int
  /// Called with the result, or `nil` for none.
  package let completion: Completion?

  /// Creates a request.
  package init(_ operation: WriteOperation, of owner: Int = 0, completion: Completion?) {
    self.operation = operation
    self.owner = owner
    self.completion = completion
    size = operation.size
  }

  /// Completes the request of a store that is open for reading only.
  package func rejectWriting() {
    completion?(.failure(.unavailable("The store is open for reading only.")))
  }
}

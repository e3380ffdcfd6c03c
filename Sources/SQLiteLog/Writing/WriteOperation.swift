internal import ReactorHost

/// One thing to be written, all of it or nothing.
enum WriteOperation: Sendable {
  /// Begin a history without mutations.
  case create(SessionKey, epoch: String)

  /// Add to the end of a history that is at a version.
  case append(SessionKey, LogBatch, epoch: String, version: Int)

  /// End a history.
  case end(SessionKey)

  /// Begin a history with another session's up to a version.
  case fork(SessionKey, version: Int, to: SessionKey, epoch: String)

  /// Keep a fold of a history.
  case save(SessionKey, Snapshot, epoch: String)

  /// Set a value that all sessions share.
  case share(SharedValue, name: String)

  /// See what else there is to do.
  case lookAround

  /// Roughly how many bytes it holds while it waits.
  var size: Int {
    switch self {
    case .create, .end, .fork, .lookAround: 256
    case .append(_, let batch, _, _):
      batch.entries.reduce(256) { $0 + 128 + $1.mutation.count + ($1.action?.count ?? 0) }
        + batch.accepted.reduce(0) { $0 + 256 + $1.action.count }
        + 512 * batch.outcomes.count
    case .share(let value, _): 256 + value.json.count
    case .save(_, let snapshot, _): 256 + snapshot.state.count
    }
  }
}

/// What became of something to be written.
enum WriteResult: Equatable {
  /// It is on the disk.
  case written
  /// Nothing of it was written.
  case refused(LogError)
  /// A part is on the disk, and the rest waits for the next group.
  case unfinished
}

/// Something to be written, and who is told.
struct WriteRequest: Sendable {
  typealias Completion = @Sendable (Result<Void, LogError>) -> Void

  let operation: WriteOperation
  let size: Int
  let completion: Completion?

  init(_ operation: WriteOperation, completion: Completion?) {
    self.operation = operation
    self.completion = completion
    size = operation.size
  }

  /// Tells that the store is open for reading only.
  func refuseWriting() {
    completion?(.failure(.unavailable("The store is open for reading only.")))
  }
}

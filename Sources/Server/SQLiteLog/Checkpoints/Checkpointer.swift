internal import Glibc
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// Copies the write-ahead log to the database on a thread of its own, concurrently with commits.
///
/// SQLite's automatic checkpoint runs at the end of a commit and blocks the next commits, with
/// 100,000 active sessions for 200 ms. ``CheckpointPlan`` decides which part the writer copies.
final class Checkpointer: Sendable {
  private struct State {
    var plan = CheckpointPlan()
    var isClosed = false
    /// Whether a failure was logged.
    var isFailing = false
  }

  private let file: StoreFile
  private let logger: Logger
  /// Held during a checkpoint, because SQLite rejects a concurrent one.
  private let turn = Mutex(())
  private let state = Mutex(State())
  private let wake = Semaphore()
  private let ended = Semaphore()

  /// Creates a checkpointer and starts its thread, which ends with ``close()``, or returns `nil` if
  /// no thread can be created.
  ///
  /// - Parameters:
  ///   - file: A store that is prepared.
  ///   - logger: Logs when checkpoints begin to fail, and when they succeed again.
  init?(_ file: StoreFile, logger: Logger) {
    self.file = file
    self.logger = logger
    // Requests and commits have priority.
    guard
      SystemThread(named: "log-checkpoint", niceness: 10, { [self] in makeCheckpoints() }) != nil
    else { return nil }
  }

  /// Plans a checkpoint after a commit of the writer.
  ///
  /// Called on the thread of the writer, between two commits.
  ///
  /// - Parameters:
  ///   - length: The number of pages in the write-ahead log.
  ///   - checkpoint: Copies the rest with the writer's connection.
  func didCommit(length: Int, _ checkpoint: () throws(DatabaseError) -> Checkpoint) {
    switch state.withLock({ $0.plan.committed(length: length) }) {
    case .nothing: break
    case .pass: wake.signal()
    case .close:
      do throws(DatabaseError) {
        let left = try turn.withLock { _ throws(DatabaseError) in try checkpoint().left }
        succeeded { $0.closed(left: left) }
      } catch {
        failed(error)
      }
    }
  }

  /// Ends the thread and blocks until its connection is closed.
  func close() {
    state.withLock { $0.isClosed = true }
    wake.signal()
    ended.wait()
    ended.signal()  // for further calls
  }

  private func makeCheckpoints() {
    var connection: SQLiteConnection?
    while true {
      wake.wait()
      if isClosed { break }
      do throws(DatabaseError) {
        if connection == nil { connection = try file.connect(for: .writing) }
        if let connection { try pass(over: connection) }
      } catch {
        // Close the connection, which the error may have broken; the next checkpoint opens a new
        // one.
        connection = nil
        failed(error)
      }
    }
    connection = nil
    ended.signal()
  }

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  private func pass(over connection: SQLiteConnection) throws(DatabaseError) {
    var hasMore = true
    while hasMore, !isClosed {
      let checkpoint = try turn.withLock { _ throws(DatabaseError) in
        let checkpoint = try connection.checkpoint()
        // SQLite itself syncs the database only after a complete checkpoint, which the writer does.
        try connection.sync()
        return checkpoint
      }
      hasMore = succeeded { $0.passed(length: checkpoint.length, left: checkpoint.left) }
    }
  }

  private func succeeded<Result: Sendable>(
    _ change: (inout CheckpointPlan) -> Result
  ) -> Result {
    let (result, wasFailing) = state.withLock { state in
      defer { state.isFailing = false }
      return (change(&state.plan), state.isFailing)
    }
    if wasFailing { logger.info("write-ahead log is copied to the database again") }
    return result
  }

  /// Records and logs a failed checkpoint.
  ///
  /// No data is lost: the write-ahead log grows, and the checkpoint is repeated.
  private func failed(_ error: DatabaseError) {
    let isNew = state.withLock { state in
      state.plan.failed()
      // Not a failure: another process is doing a checkpoint.
      guard error.code.primary != .busy else { return false }
      defer { state.isFailing = true }
      return !state.isFailing
    }
    guard isNew else { return }
    logger.warning("write-ahead log cannot be copied to the database", ["error": "\(error)"])
  }
}

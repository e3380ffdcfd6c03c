internal import Glibc
internal import ReactorHost
internal import Synchronization
internal import SystemThreads

/// Brings what the write-ahead log holds into the database, on a thread of its own and beside the
/// commits.
///
/// SQLite would do that at the end of a commit (`wal_autocheckpoint`) while all others wait: for 200 ms
/// where 100,000 sessions are acted on. See ``CheckpointPlan`` for what is left to the writer.
final class Checkpointer: Sendable {
  private struct State {
    var plan = CheckpointPlan()
    var isClosed = false
    /// Whether the operator was told that it fails.
    var isFailing = false
  }

  private let file: StoreFile
  private let logger: Logger
  /// Held by whoever brings something over: SQLite refuses a second one.
  private let turn = Mutex(())
  private let state = Mutex(State())
  private let bell = Semaphore()
  private let ended = Semaphore()

  /// Makes a checkpointer and starts its thread, which ends with ``close()``; `nil` where the system
  /// gives none.
  ///
  /// - Parameters:
  ///   - file: A store that was prepared.
  ///   - logger: Told where the log stays as it is, and when it does no longer.
  init?(_ file: StoreFile, logger: Logger) {
    self.file = file
    self.logger = logger
    guard SystemThread(named: "log-checkpoint", { [self] in run() }) != nil else { return nil }
  }

  /// The writer is between two commits; on its thread.
  ///
  /// - Parameters:
  ///   - length: The pages in the log.
  ///   - checkpoint: Brings over what is left.
  func didCommit(length: Int, _ checkpoint: () throws(DatabaseError) -> Checkpoint) {
    switch state.withLock({ $0.plan.committed(length: length) }) {
    case .nothing: break
    case .pass: bell.signal()
    case .close:
      do throws(DatabaseError) {
        let left = try turn.withLock { _ throws(DatabaseError) in try checkpoint().left }
        succeeded { $0.closed(left: left) }
      } catch {
        failed(error)
      }
    }
  }

  /// Ends the thread and blocks until it has let go of the store.
  func close() {
    state.withLock { $0.isClosed = true }
    bell.signal()
    ended.wait()
    ended.signal()  // for whoever calls this again
  }

  private func run() {
    // Requests and commits come first. On Linux each thread has a niceness of its own (setpriority(2)).
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    var connection: Connection?
    while true {
      bell.wait()
      if isClosed { break }
      do throws(DatabaseError) {
        if connection == nil { connection = try file.connect(for: .writing) }
        if let connection { try pass(over: connection) }
      } catch {
        // It may be of no use any more.
        connection = nil
        failed(error)
      }
    }
    connection = nil
    ended.signal()
  }

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  private func pass(over connection: Connection) throws(DatabaseError) {
    var hasMore = true
    while hasMore, !isClosed {
      let checkpoint = try turn.withLock { _ throws(DatabaseError) in
        let checkpoint = try connection.checkpoint()
        // A checkpoint that does not come to the end leaves that to the one that does: the writer's.
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
    if wasFailing { logger.info("write-ahead log is brought into the store again") }
    return result
  }

  /// Nothing is lost by it: the log is longer, and it is tried again.
  private func failed(_ error: DatabaseError) {
    let isNew = state.withLock { state in
      state.plan.failed()
      // Another process that does the same is no failure of the store.
      guard error.code.primary != .busy else { return false }
      defer { state.isFailing = true }
      return !state.isFailing
    }
    guard isNew else { return }
    logger.warning("write-ahead log cannot be brought into the store", ["error": "\(error)"])
  }
}

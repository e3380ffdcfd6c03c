internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// Whether the store can be written.
///
/// Logs each change once, regardless of the number of requests that fail or succeed.
final class DatabaseHealth: Sendable {
  private let logger: Logger
  private let state = Mutex<LogError?>(nil)

  init(logger: Logger) { self.logger = logger }

  /// The error of the last write, or `nil` if it succeeded.
  var failure: LogError? { state.withLock { $0 } }

  func succeeded() {
    let wasFailing = state.withLock { $0.take() != nil }
    if wasFailing { logger.info("store is written again") }
  }

  func failed(_ error: PostgresError) {
    let failure = error.logError
    let isNew = state.withLock { state in
      defer { state = failure }
      return state == nil
    }
    guard isNew else { return }
    logger.error("store cannot be written", ["error": "\(error)"])
  }
}

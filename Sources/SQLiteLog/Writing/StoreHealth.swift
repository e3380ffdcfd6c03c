internal import ReactorHost

/// Tells the operator once that the store fails, and once that it works again, however many
/// requests that concerns.
struct StoreHealth {
  private let logger: Logger
  private var failure: LogError?

  init(logger: Logger) {
    self.logger = logger
  }

  mutating func succeeded() {
    guard failure != nil else { return }
    failure = nil
    logger.info("store is written again")
  }

  mutating func failed(_ error: DatabaseError) {
    guard failure != error.logError else { return }
    failure = error.logError
    logger.error("store cannot be written", ["error": "\(error)", "reason": "\(error.logError)"])
  }
}

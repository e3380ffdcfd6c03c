import ReactorLog

@testable import SQLiteLog

extension LogWriter {
  /// Writes operations as one group, however long it takes.
  func write(_ operations: WriteOperation...) throws -> [WriteResult] {
    try write(all: operations)
  }

  /// Writes operations as one group, however long it takes.
  func write(all operations: [WriteOperation]) throws -> [WriteResult] {
    stopClock()
    let outcome = write(operations.map { WriteRequest($0, completion: nil) }[...])
    if let failure = outcome.failure { throw failure }
    return outcome.results
  }

  /// Stops the clock of the slices, so that groups end with their bytes only.
  func stopClock() {
    let time = ContinuousClock.now
    now = { time }
  }
}

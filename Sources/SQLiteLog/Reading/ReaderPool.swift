internal import ReactorLog
internal import Synchronization

/// Reading connections, opened on demand.
///
/// Readers do not block the writer, and the writer does not block readers.
final class ReaderPool: Sendable {
  // The lock is held while its connection reads: the connection belongs to one thread. Readers
  // wait for each other only while all slots are in use.
  private final class Slot: Sendable {
    let reader = Mutex<LogReader?>(nil)
  }

  private let file: StoreFile
  private let slots: [Slot]
  private let next = Atomic<Int>(0)

  /// Creates a pool without connections.
  init(_ file: StoreFile, size: Int = 8) {
    self.file = file
    slots = (0..<max(1, size)).map { _ in Slot() }
  }

  /// Calls a body with a connection that no other thread uses meanwhile.
  func read<Value: Sendable>(
    _ body: @Sendable (LogReader) throws(DatabaseError) -> Value
  ) throws(LogError) -> Value {
    do throws(DatabaseError) {
      for slot in slots {
        if let value = try slot.reader.withLockIfAvailable({ (reader) throws(DatabaseError) in
          try read(&reader, body)
        }) {
          return value
        }
      }
      let index = next.add(1, ordering: .relaxed).oldValue & Int.max
      return try slots[index % slots.count].reader.withLock { (reader) throws(DatabaseError) in
        try read(&reader, body)
      }
    } catch {
      throw error.logError
    }
  }

  /// Calls a body with a connection that no other thread uses meanwhile, and returns its result.
  func result<Value: Sendable>(
    of body: @Sendable (LogReader) throws(DatabaseError) -> Value
  ) -> Result<Value, LogError> {
    do throws(LogError) {
      return .success(try read(body))
    } catch {
      return .failure(error)
    }
  }

  private func read<Value: Sendable>(
    _ reader: inout LogReader?,
    _ body: @Sendable (LogReader) throws(DatabaseError) -> Value
  ) throws(DatabaseError) -> Value {
    let current: LogReader
    if let open = reader {
      current = open
    } else {
      current = try LogReader(try file.connect(for: .reading))
    }
    // If the body throws, the connection is closed; the next call opens a new one.
    reader = nil
    let value = try body(current)
    reader = current
    return value
  }

  /// Closes all connections; blocks until the reads in progress have ended.
  ///
  /// A later read opens a new connection.
  func close() {
    for slot in slots { slot.reader.withLock { $0 = nil } }
  }
}

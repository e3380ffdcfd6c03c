internal import ReactorHost
internal import Synchronization

/// Reading connections, opened as they are needed.
///
/// Readers never wait for the writer, nor it for them.
final class ReaderPool: Sendable {
  // A reader holds its slot's lock while it reads: that is what gives a connection to one thread.
  // Nobody but another reader ever waits for it, and only when all slots are taken.
  private final class Slot: Sendable {
    let reader = Mutex<LogReader?>(nil)
  }

  private let file: StoreFile
  private let slots: [Slot]
  private let next = Atomic<Int>(0)

  /// Makes a pool without connections.
  init(_ file: StoreFile, size: Int = 8) {
    self.file = file
    slots = (0..<max(1, size)).map { _ in Slot() }
  }

  /// Reads with a connection that nobody else uses meanwhile.
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

  private func read<Value: Sendable>(
    _ reader: inout LogReader?,
    _ body: @Sendable (LogReader) throws(DatabaseError) -> Value
  ) throws(DatabaseError) -> Value {
    let current: LogReader
    if let kept = reader {
      current = kept
    } else {
      current = try LogReader(try file.connect(for: .reading))
    }
    // After an error it stays away, and the next one to come opens another.
    reader = nil
    let value = try body(current)
    reader = current
    return value
  }

  /// Closes the connections that nobody uses.
  func close() {
    for slot in slots { slot.reader.withLock { $0 = nil } }
  }
}

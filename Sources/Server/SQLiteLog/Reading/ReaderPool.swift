internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// Reading connections, opened on demand.
///
/// Readers do not block the writer, and the writer does not block readers.
final class ReaderPool: Sendable {
  // The lock is held while its connection reads: the connection belongs to one thread. Readers
  // wait for each other only while all slots are in use.
  private final class Slot: Sendable {
    let reader = Mutex<LogReader?>(nil)
  }

  private struct Use {
    /// The number of reads in progress.
    var reads = 0
    var isClosed = false
    /// The lock of the store, which is released after the last connection is closed.
    var lock: StoreLock?
  }

  private let file: StoreFile
  private let slots: [Slot]
  private let next = Atomic<Int>(0)
  private let use: Mutex<Use>
  private let ended = Semaphore()

  /// Creates a pool without connections.
  ///
  /// - Parameters:
  ///   - file: The store.
  ///   - lock: The lock of the store, if this process writes to it.
  ///   - size: The maximum number of connections.
  init(_ file: StoreFile, lock: StoreLock? = nil, size: Int = 8) {
    self.file = file
    use = Mutex(Use(lock: lock))
    slots = (0..<max(1, size)).map { _ in Slot() }
  }

  /// Calls a body with a connection that no other thread uses meanwhile.
  ///
  /// - Throws: `LogError.unavailable` after ``close(within:)``.
  func read<Value: Sendable>(
    _ body: @Sendable (LogReader) throws(DatabaseError) -> Value
  ) throws(LogError) -> Value {
    let isOpen = use.withLock { use in
      if !use.isClosed { use.reads += 1 }
      return !use.isClosed
    }
    guard isOpen else { throw .unavailable("The store is closed.") }
    defer { endRead() }
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

  /// Rejects reads from now on, and closes the connections when the reads in progress have ended.
  ///
  /// - Parameter time: The maximum time to wait for them.
  /// - Returns: Whether they have ended. Otherwise the last of them closes the connections and releases
  ///   the lock of the store.
  @discardableResult
  func close(within time: Duration) -> Bool {
    let isUnused = use.withLock { use in
      use.isClosed = true
      return use.reads == 0
    }
    if isUnused { closeConnections() }
    let hasEnded = ended.wait(for: (Duration.zero ... .seconds(1_000_000_000)).nearest(time))
    if hasEnded { ended.signal() }  // for further calls
    return hasEnded
  }

  private func endRead() {
    let isLast = use.withLock { use in
      use.reads -= 1
      return use.isClosed && use.reads == 0
    }
    if isLast { closeConnections() }
  }

  private func closeConnections() {
    for slot in slots { slot.reader.withLock { $0 = nil } }
    use.withLock { $0.lock = nil }
    ended.signal()
  }
}

internal import Glibc
internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// Reading connections, opened on demand.
final class ReadConnections: Sendable {
  // The lock is held while its connection reads. Readers wait for each other only while all slots are in use.
  private final class Slot: Sendable {
    let connection = Mutex<PostgresConnection?>(nil)
  }

  private let address: PostgresAddress
  private let wait: Duration
  private let timeout: Duration
  private let slots: [Slot]
  private let next = Atomic<Int>(0)
  private let isClosed = Atomic<Bool>(false)

  /// Creates a pool without connections.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - wait: How long a read is repeated on new connections while the database cannot be reached.
  ///   - timeout: How long a statement may take, or `nil` for the same time.
  ///   - size: The maximum number of connections.
  init(_ address: PostgresAddress, wait: Duration, timeout: Duration? = nil, size: Int = 8) {
    self.timeout = timeout ?? wait
    self.address = address
    self.wait = wait
    slots = (0..<size).map { _ in Slot() }
  }

  /// Calls a body with a connection that no other thread uses meanwhile, again if the connection is lost.
  ///
  /// - Parameters:
  ///   - condition: What must hold before the body is called; the read waits for it.
  ///   - body: Reads until a deadline, in ``Clock/milliseconds``.
  /// - Returns: The value of the body.
  /// - Throws: The error of the last attempt.
  func read<Value: Sendable>(
    when condition: () -> Bool = { true },
    _ body: (PostgresConnection, _ deadline: Int64) throws(PostgresError) -> Value
  ) throws(LogError) -> Value {
    let start = Clock.milliseconds
    let deadline = start + timeout.milliseconds
    while true {
      guard !isClosed.load(ordering: .relaxed) else { throw .unavailable("The store is closed.") }
      do throws(PostgresError) {
        guard condition() else {
          throw PostgresError(
            state: "40003", message: "the database has not confirmed earlier changes yet")
        }
        return try attempt(body, deadline)
      } catch {
        guard error.breaksConnection || error.isTransient,
          Clock.milliseconds < start + wait.milliseconds
        else {
          throw error.logError
        }
        usleep(20_000)  // a server that is starting rejects connections at once
      }
    }
  }

  private func attempt<Value: Sendable>(
    _ body: (PostgresConnection, _ deadline: Int64) throws(PostgresError) -> Value,
    _ deadline: Int64
  ) throws(PostgresError) -> Value {
    for slot in slots {
      if let value = try slot.connection.withLockIfAvailable({ (connection) throws(PostgresError) in
        try use(&connection, body, deadline)
      }) {
        return value
      }
    }
    let index = next.add(1, ordering: .relaxed).oldValue & Int.max
    return try slots[index % slots.count].connection.withLock {
      (connection) throws(PostgresError) in try use(&connection, body, deadline)
    }
  }

  private func use<Value: Sendable>(
    _ connection: inout PostgresConnection?,
    _ body: (PostgresConnection, _ deadline: Int64) throws(PostgresError) -> Value,
    _ deadline: Int64
  ) throws(PostgresError) -> Value {
    let current: PostgresConnection
    if let open = connection {
      current = open
    } else {
      current = try PostgresConnection.open(address)
    }
    // After an error the connection is closed, since a transaction may be open.
    connection = nil
    let value = try body(current, deadline)
    connection = current
    return value
  }

  /// Rejects reads from now on, and closes the connections that are not in use.
  func close() {
    isClosed.store(true, ordering: .relaxed)
    for slot in slots { _ = slot.connection.withLockIfAvailable { $0 = nil } }
  }
}

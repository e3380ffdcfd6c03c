internal import Synchronization

/// Limits how often one principal, or one address without a principal, does something: creates sessions,
/// publishes signals.
///
/// A client that was idle for the window may use its whole quota in one burst. The table is
/// bounded: if more clients are active than it holds, some of them start with a full quota.
package final class ClientLimiter: Sendable {
  /// For each client the time at which its quota is full again, in milliseconds.
  private struct Table {
    var due: [Client: Int64] = [:]
    var sweptAt: Int64 = 0
  }

  private let window: Int64
  private let interval: Int64
  private let capacity: Int
  private let start = ContinuousClock.now
  private let table = Mutex(Table())

  /// Creates a limiter.
  ///
  /// - Parameters:
  ///   - limit: The quota of a client.
  ///   - window: The time in which the quota may be used; at least one millisecond per unit.
  ///   - capacity: The maximum number of clients in the table.
  package init(limit: Int, per window: Duration, capacity: Int = 65_536) {
    self.window = window.components.seconds * 1000
    interval = max(1, self.window / Int64(limit))
    self.capacity = capacity
  }

  /// Returns the seconds until a client may use a unit, or `nil` if it may now.
  package func wait(of client: Client) -> Int64? { wait(of: client, at: now) }

  package func wait(of client: Client, at now: Int64) -> Int64? {
    let excess = table.withLock { ($0.due[client] ?? now) - now } + interval - window
    return excess > 0 ? (excess + 999) / 1000 : nil
  }

  /// Counts a unit that a client has used.
  package func count(_ client: Client) { count(client, at: now) }

  package func count(_ client: Client, at now: Int64) {
    table.withLock { table in
      if table.due[client] == nil { Self.makeRoom(in: &table, capacity, at: now) }
      table.due[client] = max(table.due[client] ?? now, now) + interval
    }
  }

  /// Counts a unit if the client may use it now; concurrent calls exceed no quota.
  ///
  /// - Returns: Whether the unit is counted.
  package func take(_ client: Client) -> Bool { take(client, at: now) }

  package func take(_ client: Client, at now: Int64) -> Bool {
    table.withLock { table in
      let due = max(table.due[client] ?? now, now)
      guard due - now + interval <= window else { return false }
      if table.due[client] == nil { Self.makeRoom(in: &table, capacity, at: now) }
      table.due[client] = due + interval
      return true
    }
  }

  /// Returns a unit that was counted and not used.
  package func giveBack(_ client: Client) {
    table.withLock { table in
      if let due = table.due[client] { table.due[client] = due - interval }
    }
  }

  private var now: Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }

  private static func makeRoom(in table: inout Table, _ capacity: Int, at now: Int64) {
    guard table.due.count >= capacity else { return }
    // Sweep at most once per second: a sweep visits the whole table.
    if now - table.sweptAt >= 1000 {
      table.due = table.due.filter { $0.value > now }
      table.sweptAt = now
    }
    if table.due.count >= capacity { table.due.remove(at: table.due.startIndex) }
  }
}

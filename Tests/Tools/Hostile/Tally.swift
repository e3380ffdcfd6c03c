import Synchronization

/// Counts the connections, bytes and responses of abusive clients, to detect a kind that does
/// nothing.
final class Tally: Sendable {
  /// The counts of a window.
  struct Counts: Sendable {
    /// The connections that the daemon has accepted.
    var connections = 0
    /// The bytes that were sent.
    var bytes = 0
    /// The responses, by status.
    var statuses: [Int: Int] = [:]

    /// A short form for the table, with the most frequent statuses first.
    var description: String {
      let statuses = statuses.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
      let sent = bytes >> 20 > 0 ? "\(bytes >> 20) MB" : "\(bytes >> 10) KB"
      return "\(connections) connections, \(sent)" + (statuses.isEmpty ? "" : ", " + statuses)
    }
  }

  private let state = Mutex(Counts())

  /// Returns the counts since the last call, and resets them to 0.
  func take() -> Counts {
    state.withLock { counts in
      defer { counts = Counts() }
      return counts
    }
  }

  func addConnection() { state.withLock { $0.connections += 1 } }

  func addBytes(_ count: Int) { state.withLock { $0.bytes += count } }

  func addResponse(_ status: Int) { state.withLock { $0.statuses[status, default: 0] += 1 } }
}

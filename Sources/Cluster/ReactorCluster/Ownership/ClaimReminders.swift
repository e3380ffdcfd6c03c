package import ReactorLog

/// The sessions that this node has begun to own recently, and the times at which it repeats that to the
/// other nodes.
///
/// A claim can be lost with a connection, and a node that is loading the session ignores it. Then two
/// nodes have the session in memory. The log rejects the writes of one, but that node would show an old
/// State until its next write.
///
/// A reminder evicts nothing: the receiver confirms with the log that it owns the session. So it may
/// arrive late, and after the sender has lost the session.
package struct ClaimReminders: Sendable {
  /// The times from a claim to its reminders.
  package static let delays: [Milliseconds] = [1_000, 5_000, 30_000]

  /// The maximum number of claims per delay that wait for their reminder.
  ///
  /// Further ones get none: a node that loads so many sessions has restarted, or others have failed.
  package static let limit = 10_000

  /// The maximum number of sessions in a message.
  package static let pageLength = 100

  private struct Reminder {
    let session: SessionKey
    let due: Milliseconds
    let claimedAt: Milliseconds
  }

  /// The reminders by their delay; each queue is in the order of the times.
  private var queues = [[Reminder]](repeating: [], count: Self.delays.count)

  /// Creates an empty table.
  package init() {}

  /// This node has claimed a session.
  package mutating func didClaim(_ session: SessionKey, at now: Milliseconds) {
    enqueue(session, claimedAt: now, 0)
  }

  private mutating func enqueue(_ session: SessionKey, claimedAt: Milliseconds, _ index: Int) {
    guard index < queues.count, queues[index].count < Self.limit else { return }
    queues[index].append(
      Reminder(session: session, due: claimedAt + Self.delays[index], claimedAt: claimedAt))
  }

  /// Removes and returns the sessions whose reminder is due, in pages for one message each.
  package mutating func takeDue(at now: Milliseconds) -> [[SessionKey]] {
    var sessions: [SessionKey] = []
    for index in queues.indices {
      let due = queues[index].prefix { $0.due <= now }
      guard !due.isEmpty else { continue }
      queues[index].removeFirst(due.count)
      for reminder in due {
        sessions.append(reminder.session)
        enqueue(reminder.session, claimedAt: reminder.claimedAt, index + 1)
      }
    }
    return stride(from: 0, to: sessions.count, by: Self.pageLength).map {
      Array(sessions[$0..<min($0 + Self.pageLength, sessions.count)])
    }
  }
}

package import ReactorLog

/// Detects the sessions whose actions all come from one other node, so that they can move there.
///
/// A client with a persistent connection uses one node. If that node does not own the client's
/// session, each action costs a request between nodes. The owner counts the consecutive actions
/// that come from the same node, a row. After ``threshold`` actions and ``duration``, it hands the
/// session over to that node. A session that clients use through several nodes has only short rows
/// and stays.
package struct ClientAffinity: Sendable {
  /// The minimum number of actions in a row before a session moves.
  ///
  /// A move costs the new owner about 30 reads of the log, to load the session and the messages
  /// since the last page. This many requests between nodes cost the same.
  package static let threshold = 16

  /// The minimum duration of a row.
  ///
  /// Two busy nodes send their requests in bursts: a short row does not show that no other node
  /// uses the session.
  package static let duration: Milliseconds = 500

  /// The maximum number of sessions.
  ///
  /// A full table drops all rows, which then begin again.
  package static let limit = 10_000

  private struct Row {
    var edge: NodeID
    var count: Int
    let startedAt: Milliseconds
  }

  private var rows: [SessionKey: Row] = [:]

  /// Creates an empty table.
  package init() {}

  /// Whether no session has a row.
  package var isEmpty: Bool { rows.isEmpty }

  /// The number of sessions with a row.
  package var count: Int { rows.count }

  /// Records an action that another node has forwarded, at a time of a monotonic clock.
  ///
  /// - Returns: Whether the session can move to that node. The row continues, since the session
  ///   stays if it is in use; the caller ends the row with ``endRow(of:)`` after a move.
  package mutating func received(
    _ key: SessionKey, from edge: NodeID, at now: Milliseconds
  ) -> Bool {
    guard var row = rows[key], row.edge == edge else {
      if rows.count >= Self.limit, rows[key] == nil { rows.removeAll() }
      rows[key] = Row(edge: edge, count: 1, startedAt: now)
      return false
    }
    row.count += 1
    rows[key] = row
    return row.count >= Self.threshold && now - row.startedAt >= Self.duration
  }

  /// Ends the row of a session: a client of this node has used it, or it has moved.
  package mutating func endRow(of key: SessionKey) {
    rows[key] = nil
  }
}

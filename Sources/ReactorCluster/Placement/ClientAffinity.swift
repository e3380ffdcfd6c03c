public import ReactorLog

/// The sessions whose actions come from one other node, so that they can move there.
///
/// A client that keeps its connection stays with one node. If that node does not own the client's session,
/// each action costs a request between nodes; after ``threshold`` actions in a row, and ``duration``, the owner hands
/// the session over instead. A session that clients use through several nodes has no such row and stays.
public struct ClientAffinity: Sendable {
  /// The minimum number of actions in a row before a session moves.
  ///
  /// A move costs the new owner about 30 reads of the log, those of a load and of the messages since the last page;
  /// this many requests between nodes cost as much.
  public static let threshold = 16

  /// The minimum duration of a row.
  ///
  /// Two busy nodes send their requests in packets: a short row is no sign that no other node uses the session.
  public static let duration: Milliseconds = 500

  /// The maximum number of sessions.
  ///
  /// A full table drops all: their rows begin again.
  public static let limit = 10_000

  private struct Row {
    var edge: NodeID
    var count: Int
    let startedAt: Milliseconds
  }

  private var rows: [SessionKey: Row] = [:]

  /// Creates an empty table.
  public init() {}

  /// Whether no session has a row.
  public var isEmpty: Bool { rows.isEmpty }

  /// The number of sessions with a row.
  public var count: Int { rows.count }

  /// Records an action that another node has forwarded, at a time of a monotonic clock.
  ///
  /// - Returns: Whether the session can move to that node. The row continues, since the session may be in use at
  ///   the moment; ``endRow(of:)`` follows a move.
  public mutating func received(
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
  public mutating func endRow(of key: SessionKey) {
    rows[key] = nil
  }
}

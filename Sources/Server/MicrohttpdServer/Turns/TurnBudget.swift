internal import ReactorTransport
internal import Shares

/// Decides which connections a request worker reads in a turn, so that a client with many ready
/// connections does not delay the others.
///
/// Pure. libmicrohttpd processes every ready connection in a turn, which takes 80 ms with a thousand
/// bodies. When a turn has lasted for ``quantum``, only clients that were read less than ``share`` times
/// in it are read; all other connections wait for the next turn, in their order.
///
/// Clients are counted in a table of fixed size: two clients with the same ``Entry`` count as one.
struct TurnBudget {
  /// The milliseconds after which a turn reads only from clients that were read rarely in it.
  static let quantum: Int64 = 5

  /// The number of reads per turn that every client is granted, if it has this many ready
  /// connections.
  static let share = 8

  /// The number of reads between two readings of the clock; the first reads of a turn are not
  /// timed.
  private static let untimed = 8

  /// An index of the table.
  typealias Entry = UInt8

  /// The reads of each client, with the number of the turn in which they were counted; reads of an
  /// earlier turn are ignored.
  private var counts = [(turn: UInt32, reads: UInt32)](
    repeating: (0, 0), count: Int(Entry.max) + 1)
  private var turn: UInt32 = 1
  private var reads = 0
  private var start: Int64 = 0
  private var isExceeded = false

  /// The entry of a client; it differs between processes, because the hash is seeded.
  static func entry(of address: ClientAddress) -> Entry {
    Entry(truncatingIfNeeded: address.network.hashValue)
  }

  /// The entry of a client that a trusted proxy has named.
  static func entry(of client: Client) -> Entry { Entry(truncatingIfNeeded: client.hashValue) }

  mutating func beginTurn() {
    turn &+= 1
    reads = 0
    isExceeded = false
  }

  /// Counts a read of a client.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - now: The time in milliseconds, evaluated rarely.
  /// - Returns: Whether to read; otherwise the connection waits for the next turn.
  mutating func admits(_ client: Entry, at now: @autoclosure () -> Int64) -> Bool {
    let index = Int(client)
    let count = counts[index].turn == turn ? counts[index].reads : 0
    if isExceeded, count >= Self.share { return false }
    counts[index] = (turn, count &+ 1)
    reads += 1
    if reads % Self.untimed == 0, !isExceeded {
      if reads == Self.untimed { start = now() } else { isExceeded = now() - start >= Self.quantum }
    }
    return true
  }
}

internal import ReactorTransport
internal import Shares

/// Decides which connections a request worker reads in a turn, so that a client with many ready
/// connections does not delay the others.
///
/// Pure. libmicrohttpd processes every ready connection in a turn, which takes 80 ms with a thousand
/// bodies. When a turn has lasted for ``quantum``, only clients that were read less than ``share`` times
/// in it are read. Other connections wait, and later turns begin with those that wait: clients take
/// turns, and so do the connections of each client.
///
/// While connections of a client wait, its other ones wait behind them. Otherwise a client that sends
/// the next request at once would delay its own connections: those that were read are ready again first.
///
/// Clients are counted in a table of fixed size: two clients with the same ``Entry`` count as one.
struct TurnBudget {
  /// The milliseconds after which a turn reads only from clients that were read rarely in it.
  static let quantum: Int64 = 2

  /// The number of reads per turn that every client is granted, if it has this many ready
  /// connections.
  static let share = 8

  /// The number of reads between two readings of the clock; the first reads of a turn are not
  /// timed.
  private static let untimed = 8

  /// The maximum number of connections that have waited and are read in one turn.
  private static let largestCapacity = 1024

  /// An index of the table.
  typealias Entry = UInt16

  /// The number of entries.
  ///
  /// With 256, one of 100 clients shared that of a client with many connections in every third process.
  static let entries = 4096

  /// The reads of each client, with the number of the turn in which they were counted; reads of an
  /// earlier turn are ignored.
  private var counts = [(turn: UInt32, reads: UInt32)](
    repeating: (0, 0), count: TurnBudget.entries)
  private var turn: UInt32 = 1
  private var reads = 0
  private var start: Int64 = 0
  private var isExceeded = false

  private var waiting = ConnectionTurns()
  /// Whether each connection has waited for this turn and is not yet read.
  private var isDue: [Bool] = []
  /// The connections that have waited for this turn; they have to be reported as readable again.
  private(set) var due: [Int] = []
  /// The number of reads that take about ``quantum``.
  private var capacity = TurnBudget.largestCapacity

  /// The entry of a client; it differs between processes, because the hash is seeded.
  static func entry(of address: ClientAddress) -> Entry {
    entry(address.network.hashValue)
  }

  /// The entry of a client that a trusted proxy has named.
  static func entry(of client: Client) -> Entry { entry(client.hashValue) }

  private static func entry(_ hash: Int) -> Entry { Entry(hash & (entries - 1)) }

  /// Whether connections wait for the next turn.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Begins a turn, with the connections that have waited.
  mutating func beginTurn() {
    if !isExceeded { capacity = min(2 * capacity, Self.largestCapacity) }
    turn &+= 1
    reads = 0
    isExceeded = false
    due.removeAll(keepingCapacity: true)
    while due.count < capacity, let index = waiting.removeFirst() {
      due.append(index)
      isDue[index] = true
    }
  }

  /// Counts a read of a ready connection.
  ///
  /// - Parameters:
  ///   - index: The index of the connection.
  ///   - client: Its client.
  ///   - now: The time in milliseconds, evaluated rarely.
  /// - Returns: Whether to read; otherwise the connection waits until it is ``due``.
  mutating func admits(
    _ index: Int, of client: Entry, at now: @autoclosure () -> Int64
  ) -> Bool {
    let entry = Int(client)
    let count = counts[entry].turn == turn ? counts[entry].reads : 0
    if isDue.indices.contains(index), isDue[index] {
      isDue[index] = false
    } else if waiting.contains(client) || isExceeded && count >= Self.share {
      while isDue.count <= index { isDue.append(false) }
      waiting.append(index, of: client)
      return false
    }
    counts[entry] = (turn, count &+ 1)
    reads += 1
    if reads % Self.untimed == 0, !isExceeded {
      if reads == Self.untimed {
        start = now()
      } else if now() - start >= Self.quantum {
        isExceeded = true
        capacity = reads
      }
    }
    return true
  }

  /// Removes a closed connection.
  mutating func remove(_ index: Int) {
    waiting.remove(index)
    if isDue.indices.contains(index) { isDue[index] = false }
  }
}

/// Decides how many bytes a request worker writes to each connection in a turn, so that large
/// responses do not delay the requests of other connections.
///
/// Pure. libmicrohttpd writes to every ready connection in a turn, each time as much as its socket has
/// room for: the responses of a hundred connections are 30 MB. So all large writes of a turn share
/// ``bytesPerTurn``. A connection that may not write its bytes waits, and the next turn begins with
/// those that wait: clients take turns, and so do the connections of each client.
///
/// A small write is always granted: the request that it responds to took longer. So a turn writes
/// hardly more than ``bytesPerTurn``, and ``small`` bytes for each response that it completes.
struct WriteBudget {
  /// The number of bytes that the large writes of a turn share.
  static let bytesPerTurn = 1 << 20

  /// The number of bytes that are reserved for a connection that has waited.
  ///
  /// With half of it, dividing responses of 500 KB takes a tenth of the rate.
  static let share = 1 << 19

  /// The size up to which a write is always granted.
  static let small = 16_384

  /// A connection that has waited for this turn, and the bytes that are reserved for it.
  private struct Share {
    let index: Int
    var bytes: Int
  }

  private var waiting = ConnectionTurns()
  /// The bytes that each connection waits to write.
  private var pending: [Int] = []
  private var shares: [Share] = []
  /// The bytes of this turn that any connection may write.
  private var unreserved = 0

  /// Whether connections wait for the next turn.
  var isWaiting: Bool { !waiting.isEmpty }

  /// The connections that have waited for this turn; they have to be reported as writable again.
  var due: some Sequence<Int> { shares.lazy.map(\.index) }

  /// Begins a turn, and reserves bytes for connections that have waited.
  mutating func beginTurn() {
    shares.removeAll(keepingCapacity: true)
    unreserved = Self.bytesPerTurn
    while unreserved > 0, let index = waiting.removeFirst() {
      let bytes = min(pending[index], Self.share, unreserved)
      shares.append(Share(index: index, bytes: bytes))
      unreserved -= bytes
    }
  }

  /// Grants a write.
  ///
  /// - Parameters:
  ///   - size: The number of bytes that the connection could write.
  ///   - index: The index of the connection.
  ///   - client: Its client, or `nil` if the client's connections are those of many clients.
  /// - Returns: The number of bytes to write now; if it is less than `size`, the connection waits.
  mutating func grant(_ size: Int, to index: Int, of client: TurnBudget.Entry?) -> Int {
    guard size > Self.small else { return size }
    let share = shares.firstIndex { $0.index == index }
    let reserved = share.map { shares[$0].bytes } ?? 0
    // Write a small rest as well, because it would be granted next.
    let granted = size - reserved - unreserved <= Self.small ? size : reserved + unreserved
    if let share { shares[share].bytes = max(0, reserved - granted) }
    unreserved = max(0, unreserved - max(0, granted - reserved))
    if granted < size {
      while pending.count <= index { pending.append(0) }
      pending[index] = size - granted
      waiting.append(index, of: client ?? ConnectionTurns.others)
    }
    return granted
  }

  /// Removes a closed connection.
  mutating func remove(_ index: Int) {
    waiting.remove(index)
    shares.removeAll { $0.index == index }
  }
}

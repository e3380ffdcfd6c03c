/// Finds the connection to close when clients hold more bytes than they may: the largest one of the client with
/// the most bytes.
///
/// Pure. Clients with the same `TurnBudget.Entry` count as one.
struct LargestHolder {
  private var sums = [Int](repeating: 0, count: Int(TurnBudget.Entry.max) + 1)
  /// The largest connection of each client, and its bytes.
  private var largest = [(index: Int, bytes: Int)](
    repeating: (0, 0), count: Int(TurnBudget.Entry.max) + 1)

  /// Adds a connection.
  mutating func add(_ index: Int, of client: TurnBudget.Entry, bytes: Int) {
    guard bytes > 0 else { return }
    sums[Int(client)] += bytes
    if bytes > largest[Int(client)].bytes { largest[Int(client)] = (index, bytes) }
  }

  /// The connection and its bytes, or `nil` if no connection has any.
  var connection: (index: Int, bytes: Int)? {
    guard let client = sums.indices.max(by: { sums[$0] < sums[$1] }), sums[client] > 0 else {
      return nil
    }
    return largest[client]
  }
}

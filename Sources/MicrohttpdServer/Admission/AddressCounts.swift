internal import ReactorHTTP

/// How many connections each client has.
///
/// Pure. It holds no more entries than there are connections.
struct AddressCounts {
  private var counts: [ClientAddress: Int] = [:]

  /// How many clients have any.
  var clients: Int { counts.count }

  /// One more connection of a client; false, and nothing is counted, when it has `limit`.
  mutating func enter(_ client: ClientAddress, limit: Int) -> Bool {
    let count = counts[client] ?? 0
    guard count < limit else { return false }
    counts[client] = count + 1
    return true
  }

  /// One connection less.
  mutating func leave(_ client: ClientAddress) {
    guard let count = counts[client] else { return }
    counts[client] = count > 1 ? count - 1 : nil
  }
}

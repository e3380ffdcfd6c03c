internal import ReactorTransport

/// Counts connections by client.
///
/// Pure. Its size is bounded by the number of connections.
struct AddressCounts {
  private var counts: [ClientAddress: Int] = [:]

  /// The number of clients with connections.
  var clients: Int { counts.count }

  /// Counts a new connection.
  ///
  /// - Returns: `false` if the client already has `limit` connections; the new one is not counted.
  mutating func enter(_ client: ClientAddress, limit: Int) -> Bool {
    let count = counts[client] ?? 0
    guard count < limit else { return false }
    counts[client] = count + 1
    return true
  }

  /// Counts a closed connection.
  mutating func leave(_ client: ClientAddress) {
    guard let count = counts[client] else { return }
    counts[client] = count > 1 ? count - 1 : nil
  }
}

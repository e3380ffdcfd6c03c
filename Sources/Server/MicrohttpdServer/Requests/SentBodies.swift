internal import Shares

/// The bodies of the responses that a worker sends.
///
/// A body counts once however many connections send it: for the client of one of them.
struct SentBodies {
  /// A body of a response that a connection sends.
  struct Body {
    /// The address of the bytes, or 0 if the connection has a copy of its own.
    var address: UInt = 0

    /// The number of bytes.
    var size = 0

    /// The client.
    var client = ConnectionTurns.others
  }

  private struct Senders {
    var connections: [TurnBudget.Entry: Int] = [:]
    /// The client that the body counts for.
    var client: TurnBudget.Entry
    var count = 0
  }

  private let ledger: Ledger
  private let clients: ClientBytes
  private var senders: [UInt: Senders] = [:]

  /// Creates a table without bodies.
  ///
  /// - Parameters:
  ///   - ledger: Counts the bytes.
  ///   - clients: Counts the bytes of each client, of all workers.
  init(_ ledger: Ledger, _ clients: ClientBytes) { (self.ledger, self.clients) = (ledger, clients) }

  /// Counts the body of a connection.
  mutating func add(_ body: Body) {
    guard body.address != 0 else { return count(body.size, for: body.client) }
    if senders[body.address] == nil { count(body.size, for: body.client) }
    senders[body.address, default: Senders(client: body.client)].count += 1
    senders[body.address]?.connections[body.client, default: 0] += 1
  }

  /// Releases the body of a connection, unless other connections send it.
  mutating func remove(_ body: Body) {
    guard body.address != 0, var entry = senders[body.address] else {
      return count(-body.size, for: body.client)
    }
    entry.count -= 1
    let left = (entry.connections[body.client] ?? 1) - 1
    entry.connections[body.client] = left > 0 ? left : nil
    if let next = entry.connections.first?.key {
      if entry.connections[entry.client] == nil {
        clients.add(-body.size, of: entry.client)
        clients.add(body.size, of: next)
        entry.client = next
      }
      senders[body.address] = entry
    } else {
      senders[body.address] = nil
      count(-body.size, for: entry.client)
    }
  }

  /// Returns the part of a body that its connection is responsible for.
  func weight(of body: Body) -> Int { body.size / max(1, senders[body.address]?.count ?? 1) }

  private func count(_ difference: Int, for client: TurnBudget.Entry) {
    ledger.take(.responses, difference, for: nil)
    clients.add(difference, of: client)
  }
}

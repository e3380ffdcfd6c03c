/// The connections that wait for a turn, each at most once: clients take turns, and so do the
/// connections of each client.
///
/// Appending and removing are O(1) in the number of connections. Clients with the same
/// `TurnBudget.Entry` count as one; connections of many clients have the entry ``others``.
struct ConnectionTurns {
  private struct Link {
    var previous = ConnectionTurns.none
    var next = ConnectionTurns.none
    /// The line that the connection is in.
    var line = ConnectionTurns.none
  }

  /// The connections of one client, in their order.
  private struct Line {
    var head = ConnectionTurns.none
    var tail = ConnectionTurns.none
  }

  private static let none: Int32 = -1
  /// The entry of connections whose peer passes the requests of many clients.
  static let others = TurnBudget.Entry(TurnBudget.entries)

  private var links: [Link] = []
  private var lines = [Line](repeating: Line(), count: TurnBudget.entries + 1)
  /// The lines with connections, in the order of their turns.
  private var turns: [Int32] = []

  var isEmpty: Bool { turns.isEmpty }

  /// The connection that ``removeFirst()`` returns next.
  var first: Int? { turns.first.map { Int(lines[Int($0)].head) } }

  /// Whether connections of a client wait.
  func contains(_ client: TurnBudget.Entry) -> Bool { lines[Int(client)].head != Self.none }

  /// Appends a connection to those of its client, unless it waits already.
  mutating func append(_ index: Int, of client: TurnBudget.Entry) {
    while links.count <= index { links.append(Link()) }
    guard links[index].line == Self.none else { return }
    let line = Int(client)
    let tail = lines[line].tail
    links[index] = Link(previous: tail, line: Int32(line))
    lines[line].tail = Int32(index)
    if tail == Self.none {
      lines[line].head = Int32(index)
      turns.append(Int32(line))
    } else {
      links[Int(tail)].next = Int32(index)
    }
  }

  /// Removes and returns the first connection of the next client.
  mutating func removeFirst() -> Int? {
    guard let line = turns.first else { return nil }
    let index = Int(lines[Int(line)].head)
    remove(index)
    if turns.first == line { turns.append(turns.removeFirst()) }
    return index
  }

  /// Removes a connection, if it waits.
  mutating func remove(_ index: Int) {
    guard links.indices.contains(index), links[index].line != Self.none else { return }
    let link = links[index]
    links[index] = Link()
    if link.previous == Self.none {
      lines[Int(link.line)].head = link.next
    } else {
      links[Int(link.previous)].next = link.next
    }
    if link.next == Self.none {
      lines[Int(link.line)].tail = link.previous
    } else {
      links[Int(link.next)].previous = link.previous
    }
    if lines[Int(link.line)].head == Self.none { turns.removeAll { $0 == link.line } }
  }
}

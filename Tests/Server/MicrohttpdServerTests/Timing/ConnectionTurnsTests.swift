internal import Testing

@testable internal import MicrohttpdServer

struct ConnectionTurnsTests {
  @Test func `clients take turns, and the connections of each client are in their order`() {
    var queue = ConnectionTurns()
    for index in 0..<3 { queue.append(index, of: 7) }
    queue.append(3, of: 8)
    queue.append(4, of: ConnectionTurns.others)
    queue.append(5, of: ConnectionTurns.others)
    queue.append(0, of: 7)
    #expect(Self.drain(&queue) == [0, 3, 4, 1, 5, 2])
    #expect(queue.isEmpty)
  }

  @Test func `it has the order of a list of lists, whatever is appended and removed`() {
    var random = SystemRandomNumberGenerator()
    var queue = ConnectionTurns()
    // The connections of each client, in the order of the turns.
    var model: [(client: TurnBudget.Entry, indices: [Int])] = []
    for _ in 0..<2_000 {
      let index = Int.random(in: 0..<12, using: &random)
      // A connection has one client.
      let client = index % 4 == 3 ? ConnectionTurns.others : TurnBudget.Entry(index % 4)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        queue.append(index, of: client)
        if let line = model.firstIndex(where: { $0.client == client }) {
          if !model[line].indices.contains(index) { model[line].indices.append(index) }
        } else {
          model.append((client, [index]))
        }
      case 1:
        queue.remove(index)
        for line in model.indices { model[line].indices.removeAll { $0 == index } }
      default:
        let first = queue.removeFirst()
        #expect(first == model.first?.indices.first)
        guard !model.isEmpty else { continue }
        var line = model.removeFirst()
        line.indices.removeFirst()
        model.append(line)
      }
      model.removeAll(where: \.indices.isEmpty)
      #expect(queue.isEmpty == model.isEmpty)
    }
  }

  private static func drain(_ queue: inout ConnectionTurns) -> [Int] {
    var indices: [Int] = []
    while let index = queue.removeFirst() { indices.append(index) }
    return indices
  }
}

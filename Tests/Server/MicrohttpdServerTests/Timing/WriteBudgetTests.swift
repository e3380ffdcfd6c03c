internal import Testing

@testable internal import MicrohttpdServer

struct WriteBudgetTests {
  /// Connections with responses that are written turn by turn, as libmicrohttpd does it.
  private struct Crowd {
    var budget = WriteBudget()
    let clients: [TurnBudget.Entry?]
    /// The bytes of each connection that are not written yet.
    var left: [Int]
    private var isFirst = true

    init(_ left: [Int], clients: [TurnBudget.Entry?]? = nil) {
      self.left = left
      self.clients = clients ?? left.map { _ in 1 }
    }

    /// Writes to each connection that is reported as writable: all of them in the first turn.
    ///
    /// - Returns: The bytes of each connection that were written.
    mutating func takeTurn() -> [Int] {
      budget.beginTurn()
      let reported = isFirst ? Array(left.indices) : Array(budget.due)
      isFirst = false
      var written = left.map { _ in 0 }
      // libmicrohttpd writes again after a part of a response was written.
      for index in reported + reported where left[index] > 0 {
        let granted = budget.grant(left[index], to: index, of: clients[index])
        left[index] -= granted
        written[index] += granted
      }
      return written
    }
  }

  @Test(arguments: [1, 3, 16, 100, 1_000], [16_385, 65_536, 277_000, 3_000_000])
  func `a turn writes its number of bytes, however many large responses there are`(
    count: Int, size: Int
  ) {
    var crowd = Crowd([Int](repeating: size, count: count))
    var turns = 0
    repeat {
      let written = crowd.takeTurn().reduce(0, +)
      turns += 1
      // A connection that ends its share or the turn can write a small rest as well.
      #expect(written <= WriteBudget.bytesPerTurn + 3 * WriteBudget.small)
    } while crowd.budget.isWaiting && turns < 10_000
    #expect(crowd.left.allSatisfy { $0 == 0 })
    // The turns are full.
    #expect(turns <= 1 + count * size / WriteBudget.bytesPerTurn)
  }

  @Test func `a small write is granted after the bytes of the turn are used`() {
    var budget = WriteBudget()
    budget.beginTurn()
    let large = budget.grant(10_000_000, to: 0, of: 1)
    #expect(large == WriteBudget.bytesPerTurn)
    let small = (1..<100).map { budget.grant(WriteBudget.small, to: $0, of: 1) }
    #expect(small.allSatisfy { $0 == WriteBudget.small })
    let other = budget.grant(WriteBudget.small + 1, to: 100, of: 2)
    #expect(other == 0)
  }

  @Test func `connections that wait divide the next turn between them`() {
    var budget = WriteBudget()
    budget.beginTurn()
    for index in 0..<4 { _ = budget.grant(10_000_000, to: index, of: 1) }
    budget.beginTurn()
    #expect(Array(budget.due) == [0, 1])
    let others = (2..<6).map { budget.grant(100_000, to: $0, of: 2) }
    #expect(others == [0, 0, 0, 0])
    for index in 0..<2 {
      let granted = budget.grant(1_000_000, to: index, of: 1)
      #expect(granted == WriteBudget.share)
    }
  }

  @Test func `bytes that are not reserved are for any connection`() {
    var budget = WriteBudget()
    budget.beginTurn()
    _ = budget.grant(WriteBudget.bytesPerTurn + 100_000, to: 0, of: 1)
    budget.beginTurn()
    #expect(Array(budget.due) == [0])
    let other = budget.grant(10_000_000, to: 1, of: 1)
    #expect(other == WriteBudget.bytesPerTurn - 100_000)
    let first = budget.grant(100_000, to: 0, of: 1)
    #expect(first == 100_000)
    budget.beginTurn()
    let second = budget.grant(9_000_000, to: 1, of: 1)
    #expect(second == WriteBudget.bytesPerTurn)
  }

  @Test func `a client with a thousand responses delays another one by one turn`() {
    let large = 277_000
    var crowd = Crowd(
      [Int](repeating: large, count: 1_001), clients: [Int](0..<1_001).map { $0 < 1_000 ? 1 : 2 })
    _ = crowd.takeTurn()
    var turns = 0
    while crowd.left[1_000] > 0, turns < 100 {
      let written = crowd.takeTurn()
      turns += 1
      #expect(written[1_000] > 0)
    }
    #expect(turns <= large / WriteBudget.share + 1)
  }

  @Test func `a closed connection does not wait`() {
    var budget = WriteBudget()
    budget.beginTurn()
    for index in 0..<3 { _ = budget.grant(10_000_000, to: index, of: 1) }
    budget.remove(1)
    budget.beginTurn()
    #expect(Array(budget.due) == [0, 2])
    budget.remove(2)
    #expect(Array(budget.due) == [0])
    #expect(!budget.isWaiting)
  }
}

internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

struct TurnBudgetTests {
  private static let (abusive, other): (TurnBudget.Entry, TurnBudget.Entry) = (2, 1)

  /// A budget whose turn has lasted for the quantum, with 16 reads of the abusive client.
  private static func exceeded() -> TurnBudget {
    var budget = TurnBudget()
    budget.beginTurn()
    #expect(admitted(&budget, abusive, 0..<8, at: 100) == 8)
    #expect(admitted(&budget, abusive, 8..<16, at: 100 + TurnBudget.quantum) == 8)
    return budget
  }

  /// Returns the number of reads that the budget grants to connections of a client.
  private static func admitted(
    _ budget: inout TurnBudget, _ client: TurnBudget.Entry, _ connections: Range<Int>,
    at time: Int64
  ) -> Int {
    connections.count { budget.admits($0, of: client, at: time) }
  }

  @Test func `a short turn reads every connection`() {
    var budget = TurnBudget()
    budget.beginTurn()
    let admitted = Self.admitted(&budget, Self.abusive, 0..<10_000, at: 100)
    #expect(admitted == 10_000)
    #expect(!budget.isWaiting)
  }

  @Test func `a long turn reads only clients that were read rarely in it`() {
    var budget = Self.exceeded()
    let abusive = Self.admitted(&budget, Self.abusive, 100..<200, at: 200)
    #expect(abusive == 0)
    let other = Self.admitted(&budget, Self.other, 200..<300, at: 200)
    #expect(other == TurnBudget.share)
  }

  @Test func `the next turn reads those that waited, in their order, and then every connection`() {
    var budget = Self.exceeded()
    #expect(Self.admitted(&budget, Self.abusive, 100..<120, at: 200) == 0)
    #expect(Self.admitted(&budget, Self.abusive, 110..<120, at: 200) == 0)
    budget.beginTurn()
    // A turn of 16 reads lasted for the quantum.
    #expect(budget.due == Array(100..<116))
    #expect(Self.admitted(&budget, Self.abusive, 0..<16, at: 200) == 0)
    #expect(Self.admitted(&budget, Self.other, 200..<216, at: 200) == 16)
    #expect(Self.admitted(&budget, Self.abusive, 100..<116, at: 200) == 16)
    budget.beginTurn()
    #expect(budget.due == Array(116..<120) + Array(0..<16))
    #expect(Self.admitted(&budget, Self.abusive, 0..<200, at: 200) == 200)
    #expect(!budget.isWaiting)
  }

  @Test func `clients that wait take turns`() {
    var budget = Self.exceeded()
    #expect(Self.admitted(&budget, Self.abusive, 100..<200, at: 200) == 0)
    #expect(Self.admitted(&budget, Self.other, 200..<300, at: 200) == TurnBudget.share)
    budget.beginTurn()
    #expect(budget.due.count { $0 >= 200 } == 8)
  }

  @Test func `a closed connection does not wait`() {
    var budget = Self.exceeded()
    #expect(Self.admitted(&budget, Self.abusive, 100..<101, at: 200) == 0)
    budget.remove(100)
    #expect(!budget.isWaiting)
    #expect(Self.admitted(&budget, Self.abusive, 100..<101, at: 200) == 0)
    budget.beginTurn()
    budget.remove(100)
    #expect(Self.admitted(&budget, Self.abusive, 101..<109, at: 200) == 8)
    #expect(Self.admitted(&budget, Self.abusive, 109..<117, at: 200 + TurnBudget.quantum) == 8)
    #expect(Self.admitted(&budget, Self.abusive, 0..<1, at: 300) == 0)
    // The successor of the closed connection has not waited.
    #expect(Self.admitted(&budget, Self.abusive, 100..<101, at: 300) == 0)
  }

  /// Clients that send the next request when the response arrives.
  @Test(arguments: [10, 40, 256, 1000], [1, 3])
  func `connections of a client are read equally often`(count: Int, clients: Int) {
    var budget = TurnBudget()
    var reads = [Int](repeating: 0, count: count)
    var ready = Array(0..<count)
    var time = 0.0
    for _ in 0..<2000 {
      budget.beginTurn()
      var next: [Int] = []
      for index in ready + budget.due {
        let client = TurnBudget.Entry(index % clients)
        guard budget.admits(index, of: client, at: Int64(time)) else { continue }
        time += 0.03
        reads[index] += 1
        next.append(index)
      }
      ready = next
    }
    let rarest = reads.min() ?? 0
    let most = reads.max() ?? 0
    #expect(rarest > 0 && most <= 2 * rarest, "\(rarest) to \(most) reads")
  }

  @Test func `an entry is that of a network`() throws {
    let one = try #require(ClientAddress("2001:db8::1"))
    let two = try #require(ClientAddress("2001:db8::2"))
    #expect(TurnBudget.entry(of: one) == TurnBudget.entry(of: two))
    let entries = (0..<100).map { TurnBudget.entry(of: ClientAddress(version4: $0)) }
    #expect(Set(entries).count > 1)
  }
}

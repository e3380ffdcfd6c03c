internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

struct TurnBudgetTests {
  private static let (abusive, other): (TurnBudget.Entry, TurnBudget.Entry) = (2, 1)

  /// A budget whose turn has lasted for the quantum, with more reads of the abusive client than its share.
  private static func exceeded() -> TurnBudget {
    var budget = TurnBudget()
    budget.beginTurn()
    #expect(admitted(&budget, abusive, 8, at: 100) == 8)
    #expect(admitted(&budget, abusive, 8, at: 100 + TurnBudget.quantum) == 8)
    return budget
  }

  /// Returns the number of reads that the budget grants to a client that requests `count` of them.
  private static func admitted(
    _ budget: inout TurnBudget, _ client: TurnBudget.Entry, _ count: Int, at time: Int64
  ) -> Int {
    (0..<count).count { _ in budget.admits(client, at: time) }
  }

  @Test func `a short turn reads every connection`() {
    var budget = TurnBudget()
    budget.beginTurn()
    let admitted = Self.admitted(&budget, Self.abusive, 10_000, at: 100)
    #expect(admitted == 10_000)
  }

  @Test func `a long turn reads only clients that were read rarely in it`() {
    var budget = Self.exceeded()
    let abusive = Self.admitted(&budget, Self.abusive, 100, at: 200)
    #expect(abusive == 0)
    let other = Self.admitted(&budget, Self.other, 100, at: 200)
    #expect(other == TurnBudget.share)
  }

  @Test func `the next turn reads every client again`() {
    var budget = Self.exceeded()
    budget.beginTurn()
    let admitted = Self.admitted(&budget, Self.abusive, 100, at: 200)
    #expect(admitted == 100)
  }

  @Test func `an entry is that of a network`() throws {
    let one = try #require(ClientAddress("2001:db8::1"))
    let two = try #require(ClientAddress("2001:db8::2"))
    #expect(TurnBudget.entry(of: one) == TurnBudget.entry(of: two))
    let entries = (0..<100).map { TurnBudget.entry(of: ClientAddress(version4: $0)) }
    #expect(Set(entries).count > 1)
  }
}

internal import Testing

@testable internal import MicrohttpdServer

@Suite struct DescriptorBudgetTests {
  struct Row: Sendable {
    let asked: (connections: Int, streams: Int)
    let available: Int
    let given: (connections: Int, streams: Int)
  }

  @Test(arguments: [
    Row(asked: (1000, 10_000), available: 20_000, given: (1000, 10_000)),
    Row(asked: (100, 10), available: 500, given: (100, 10)),
    Row(asked: (4096, 200_000), available: 20_000, given: (2452, 17_164)),
    Row(asked: (4096, 200_000), available: 1024, given: (80, 560)),
    Row(asked: (10, 10), available: 0, given: (1, 3)),
    Row(asked: (0, -1), available: 1024, given: (1, 0)),
    Row(asked: (.max, .max), available: 1_000_000, given: (124_952, 874_664)),
  ])
  func `what is asked for is given where it fits, and else shared out`(row: Row) {
    let budget = DescriptorBudget(
      connections: row.asked.connections, streams: row.asked.streams, available: row.available)
    #expect(budget.connections == row.given.connections)
    #expect(budget.streams == row.given.streams)
  }
}

internal import Foundation
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct DescriptorBudgetTests {
  struct Row: Sendable {
    let requested: (connections: Int, streams: Int)
    let available: Int
    let granted: (connections: Int, streams: Int)
  }

  @Test(arguments: [
    Row(requested: (1000, 10_000), available: 20_000, granted: (1000, 10_000)),
    Row(requested: (100, 10), available: 500, granted: (100, 10)),
    Row(requested: (4096, 200_000), available: 20_000, granted: (2452, 17_164)),
    Row(requested: (4096, 200_000), available: 1024, granted: (80, 560)),
    Row(requested: (10, 10), available: 0, granted: (1, 3)),
    Row(requested: (0, -1), available: 1024, granted: (1, 0)),
    Row(requested: (.max, .max), available: 1_000_000, granted: (124_952, 874_664)),
  ])
  func `limits that fit are granted, others are reduced in proportion`(row: Row) {
    let budget = DescriptorBudget(
      connections: row.requested.connections, streams: row.requested.streams,
      available: row.available)
    #expect(budget.connections == row.granted.connections)
    #expect(budget.streams == row.granted.streams)
  }

  /// A table that grows lets the thread that accepts connections wait.
  @Test func `the table of descriptors is allocated at the start`() throws {
    var limits = MicrohttpdServer.Settings.Limits(body: 1000, headers: 2000)
    (limits.connections, limits.streams) = (2_000, 1_000)
    let budget = DescriptorBudget(raisingLimitFor: limits)
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("FDSize:") })
    let size = try #require(Int(line.dropFirst(7).trimmingCharacters(in: .whitespaces)))
    #expect(size >= budget.connections + budget.streams)
  }
}

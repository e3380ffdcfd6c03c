import ReactorLog
import Testing

@testable import ReactorCluster

/// The list of nodes that failed or left.
struct GoneNodesTests {
  private func at(_ minute: Int64) -> Timestamp { Timestamp(milliseconds: minute * 60_000) }

  @Test func `a node is listed for an hour, and not while its name is alive`() {
    var gone = GoneNodes()
    gone.add("n2", at: at(0))
    gone.add("n1", at: at(10))
    gone.add("n2", at: at(20))
    #expect(gone.entries(at: at(30), without: []).map(\.name) == ["n1", "n2"])
    #expect(gone.entries(at: at(30), without: ["n1"]).map(\.since) == [at(20)])
    #expect(gone.entries(at: at(70), without: []).map(\.name) == ["n2"])
    #expect(gone.entries(at: at(80), without: []).isEmpty)
  }

  @Test func `the oldest node is dropped beyond the bound`() {
    var gone = GoneNodes()
    for number in 0...Membership.limit { gone.add("n\(number)", at: at(Int64(number))) }
    let names = gone.entries(at: at(50), without: []).map(\.name)
    #expect(names.count == Membership.limit && !names.contains("n0"))
  }
}

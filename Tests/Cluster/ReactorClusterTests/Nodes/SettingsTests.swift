import ReactorCluster
import Testing

/// The comparison of the settings of several nodes.
struct SettingsTests {
  @Test func `a node that has reloaded its settings differs until the others have too`()
    async throws
  {
    let cluster = try await Cluster(["n1", "n2"])
    let (first, second) = (cluster.members[0].node, cluster.members[1].node)
    #expect(first.differences.isEmpty && second.differences.isEmpty)
    first.setConfiguration(1)
    for node in [first, second] {
      try await wait { node.differences.map(\.differences) == [["the settings"]] }
    }
    second.setConfiguration(1)
    for node in [first, second] {
      try await wait { node.differences.isEmpty }
    }
  }
}

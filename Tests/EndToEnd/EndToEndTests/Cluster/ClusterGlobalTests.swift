import Glibc
import Testing

/// Globals, which one of several nodes sets and all nodes apply.
@Suite(.blocking) struct ClusterGlobalTests {
  private let path = "/v1/globals/currentUser"
  private let cluster: NodeCluster

  init() throws {
    cluster = try NodeCluster()
  }

  private func put(_ name: String, at node: ReactordProcess) throws -> HTTPResponse {
    try node.client().send("PUT", path, json: #"{"name":"\#(name)"}"#)
  }

  private func value(at node: ReactordProcess) throws -> JSON? {
    try node.client().get(path).json["name"]
  }

  @Test func `a PUT that all nodes confirm is in the next response of each`() throws {
    var confirmed = 0
    for attempt in 0..<60 {
      let node = try cluster[attempt % 3]
      let before = try node.figure("unconfirmed_globals_total")
      #expect(try put("Ada \(attempt)", at: node).status == 200)
      // On a busy machine, a node can need more time to confirm than the response waits.
      guard try node.figure("unconfirmed_globals_total") == before else { continue }
      confirmed += 1
      for other in cluster.nodes {
        #expect(try value(at: other) == .string("Ada \(attempt)"))
      }
    }
    #expect(confirmed > 0)
  }

  @Test func `PUTs at all nodes at the same time follow one another`() throws {
    let nodes = cluster.nodes
    let tags = try concurrently(3) { index in
      try (0..<20).map { try #require(put("\(index) \($0)", at: nodes[index])["ETag"]) }
    }
    // Each value has a version of its own.
    #expect(Set(tags.joined()).count == 60)
    let last = try #require(tags.joined().max { version($0) < version($1) })
    #expect(version(last) == 60)
    for node in nodes { #expect(try eventually { try node.client().get(path)["ETag"] == last }) }
  }

  private func version(_ tag: String) -> Int {
    Int(tag.filter { $0 != "\"" }.split(separator: "-").last ?? "") ?? -1
  }

  @Test func `a node that does not confirm delays the response, and applies the value later`()
    throws
  {
    let paused = try cluster[2]
    #expect(try put("Ada", at: cluster[0]).status == 200)
    #expect(try eventually { try value(at: paused) == "Ada" })
    // On a busy machine, the node can count as failed before it is paused, and then the response
    // does not wait for it.
    for _ in 0..<10 where try cluster[0].figure("unconfirmed_globals_total") ?? 0 == 0 {
      #expect(try eventually { try cluster[0].figure("ready_nodes") == 3 })
      paused.process.signal(SIGSTOP)
      let response = try put("Bob", at: cluster[0])
      paused.process.signal(SIGCONT)
      #expect(response.status == 200)
      #expect(try response.json["name"] == "Bob")
    }
    #expect(try cluster[0].figure("unconfirmed_globals_total") ?? 0 >= 1)
    #expect(try eventually { try value(at: paused) == "Bob" })
  }
}

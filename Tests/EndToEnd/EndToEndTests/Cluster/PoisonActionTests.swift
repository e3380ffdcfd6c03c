import Testing

/// Actions that crash their process, in a cluster.
@Suite(.blocking) struct PoisonActionTests {
  private let cluster: NodeCluster

  init() throws {
    cluster = try NodeCluster(program: "faulty", environment: ["REACTORD_SUPERVISE": "true"])
  }

  /// A request is executed by at most two owners.
  ///
  /// The action is in the store's quarantine by the time the first owner has started again.
  @Test(arguments: [#""trapInMutate""#, #""trapInReduce""#])
  func `an action that crashes its owner does not travel from node to node`(body: String) throws {
    let first = cluster.clients(of: "faulty", "poisoned")
    #expect(try first[0].post(#"{"add":1}"#).status == 200)
    let owner = try cluster.owner()
    let key = ["Idempotency-Key": "\"poison\""]
    // A node that crashes while it executes the request itself sends no response.
    if let response = try? first[(owner + 1) % 3].post(body, key), response.status == 503 {
      #expect(try response.json["outcome"] == "unknown")
    }
    for node in cluster.nodes {
      let isQuarantined = eventually {
        let list = try? node.client().get("/v1/quarantine").json["quarantine"]?.array
        return list?.map { $0["action"]?.string } == [body]
      }
      try #require(isQuarantined, "\(node.standardError)")
    }
    try cluster.waitUntilReady(3)
    for _ in 0..<3 {
      for client in cluster.clients(of: "faulty", "poisoned") {
        try expectProblem(client.post(body), 500, "action-crashed")
        try expectProblem(client.post("  " + body), 500, "action-crashed")
        // The first request with this key stores its outcome; the others receive the stored
        // outcome.
        let repeated = try client.post("  " + body, ["Idempotency-Key": "\"spelling\""])
        try expectProblem(repeated, 500, "action-crashed")
      }
    }
    for (index, client) in cluster.clients(of: "faulty", "poisoned").enumerated() {
      #expect(try client.post(#"{"add":1}"#).json["value"] == .number(Double(index + 2)))
    }
    let crashes = try cluster.nodes.map {
      try MetricsReading($0.client())["reactord_crashes_total"] ?? 0
    }
    #expect((1...2).contains(crashes.reduce(0, +)), "\(crashes)")
  }
}

import Foundation
import Synchronization
import Testing

/// Nodes that are killed or stopped, or whose configuration differs from that of the others.
@Suite(.blocking) struct NodeKillTests {
  private let key = "/v1/reactors/counter/sessions/demo"

  @Test func `the kill of a session's owner loses and doubles no action`() throws {
    let cluster = try NodeCluster()
    #expect(try cluster.clients(of: "counter", "demo")[0].post(#""increase""#).status == 200)
    let owner = try cluster.owner()
    let stream = try SessionClient(cluster[(owner + 1) % 3].client(), key).events()
    _ = try stream.nextEvent()
    let first = try SessionClient(cluster[(owner + 1) % 3].client(), key)
      .post(#"{"add":100}"#, ["Idempotency-Key": "\"k\""])
    #expect(try first.json == ["value": 101])
    let killed = try cluster.remove(owner)
    let others = cluster.nodes.map(\.port)
    let left = Atomic(40)
    let posted = try concurrently(4) { client in
      let session = SessionClient(HTTPClient(port: others[client % 2]), key)
      var posted = 0
      for _ in 0..<25 {
        if left.subtract(1, ordering: .relaxed).newValue == 0 { killed.process.kill() }
        let response = try session.post(#""increase""#)
        #expect(response.status == 200, "\(response.text)")
        if response.status == 200 { posted += 1 }
      }
      return posted
    }
    #expect(posted.reduce(0, +) == 100)
    for port in others {
      let session = SessionClient(HTTPClient(port: port), key)
      let repeated = try session.post(#"{"add":100}"#, ["Idempotency-Key": "\"k\""])
      #expect(try repeated.json == ["value": 101])
      #expect(try session.state().json == ["value": 201])
      #expect(try session.state().cursor?.version == 102)
    }
    let versions = try stream.events(upTo: 102).compactMap { $0.cursor?.version }
    #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
    try killed.process.wait()
    let takeovers = try cluster.nodes.map { try $0.figure("takeovers_total") ?? 0 }
    #expect(takeovers.reduce(0, +) >= 1)
    // The killed node returns, and owns sessions again.
    try cluster.start(owner)
    try cluster.waitUntilReady(3)
    #expect(
      try SessionClient(cluster[owner].client(), key).post(#""increase""#).json == ["value": 202])
  }

  @Test func `a node that is stopped hands its sessions over without an error elsewhere`() throws {
    let cluster = try NodeCluster()
    let sessions = (0..<8).map { "s\($0)" }
    for id in sessions {
      #expect(try cluster.clients(of: "counter", id)[0].post(#""increase""#).status == 200)
    }
    let stopped = try cluster.remove(0)
    let ports = cluster.nodes.map(\.port)
    let isStopped = Atomic(false)
    let left = Atomic(100)
    let rounds = try concurrently(4) { client in
      var rounds = 0
      while rounds < 25 || !isStopped.load(ordering: .acquiring) {
        if left.subtract(1, ordering: .relaxed).newValue == 0 {
          #expect(try stopped.stop() == .code(0), "\(stopped.standardError)")
          isStopped.store(true, ordering: .releasing)
        }
        let id = sessions[(client + rounds) % sessions.count]
        let session = SessionClient(
          HTTPClient(port: ports[rounds % 2]), "/v1/reactors/counter/sessions/\(id)")
        let response = try session.post(#""increase""#)
        guard response.status == 200 else {
          Issue.record("\(response.status) \(response.text)")
          return rounds
        }
        rounds += 1
      }
      return rounds
    }
    let values = try sessions.map { id in
      try cluster.clients(of: "counter", id)[1].state().json["value"]?.int ?? 0
    }
    #expect(values.reduce(0, +) == rounds.reduce(0, +) + sessions.count)
    for node in cluster.nodes {
      #expect(try eventually { try node.figure("nodes") == 2 })
    }
  }

  @Test func `timers and effects of a killed node continue at another one`() throws {
    let cluster = try NodeCluster(program: "faulty")
    let alarm = cluster.clients(of: "alarm", "a")
    // The owner is killed before the timers are due.
    let arm = #"{"arm":{"from":0,"count":20,"delay":30000,"step":5}}"#
    #expect(try alarm[0].post(arm).status == 200)
    let owner = try cluster.owner()
    let killed = try cluster.remove(owner)
    killed.process.kill()
    try killed.process.wait()
    // The timers must fire although no client requests the session.
    #expect(
      try eventually {
        try cluster.nodes.contains { node in
          try MetricsReading(node.client())["reactord_timers_fired_total{reactor=\"alarm\"}"] == 20
        }
      })
    for client in cluster.clients(of: "alarm", "a") {
      // A timer is counted when it fires, and its mutation is committed afterwards.
      let rings = { try client.state().json["rings"]?.array?.compactMap(\.int).sorted() }
      #expect(try eventually { try rings() == Array(0..<20) })
      #expect(try client.state().json["early"] == 0)
    }
  }

  @Test func `an accepted action of a killed node runs again at the next owner`() throws {
    let cluster = try NodeCluster(program: "faulty")
    let prefer = ["Prefer": "respond-async", "Idempotency-Key": "\"k\""]
    let actions = [
      ("faulty", #""wait""#), ("ledger", #"{"enterLater":{"_0":7,"after":1000}}"#),
      ("cautious", #"{"enterLater":{"_0":7,"after":600000}}"#),
    ]
    for (reactor, action) in actions {
      // The first node accepts each action. The owner is another node in general: it depends on the
      // reactor and the id of the session.
      let response = try cluster.clients(of: reactor, "demo")[0].post(action, prefer)
      #expect(response.status == 202, "\(response.text)")
    }
    for index in 0..<3 where try cluster[index].figure("owned_sessions") ?? 0 > 0 {
      let killed = try cluster.remove(index)
      killed.process.kill()
      try killed.process.wait()
      try cluster.start(index)
      try cluster.waitUntilReady(3)
    }
    let (waiting, ledger, cautious) = (
      cluster.clients(of: "faulty", "demo"), cluster.clients(of: "ledger", "demo"),
      cluster.clients(of: "cautious", "demo")
    )
    for client in waiting {
      #expect(try eventually { try client.effects().map { $0["action"] } == ["wait"] })
    }
    // If the first execution has committed its mutation, the mutation stays in the log.
    for client in ledger {
      #expect(try eventually { try (client.state().json["count"]?.int ?? 0) >= 1 })
      #expect(try eventually { try client.effects().isEmpty })
      #expect(try client.log().json.array?.first?["mutation"] == ["didEnter": 7])
    }
    for client in cautious {
      #expect(try eventually { try client.effects().isEmpty })
      #expect(try client.state().json["count"] == 0)
      let repeated = try client.post(actions[2].1, ["Idempotency-Key": "\"k\""])
      try expectProblem(repeated, 500, "effect-failed")
    }
  }

  @Test func `another configuration is reported, and a stopping node is not ready`() throws {
    let cluster = try NodeCluster(count: 2)
    try cluster.start(
      1,
      [
        "--cluster-node", "n3", "--actions-idempotency", "7", "--shutdown-delay", "600",
        "--shutdown-grace", "600",
      ])
    let other = try cluster[1]
    let first = try cluster[0]
    #expect(
      try eventually {
        try first.client().get("/readyz").json["detail"] == "n3 differs in the settings"
      })
    #expect(try first.client().get("/readyz").status == 200)
    #expect(eventually { first.standardError.contains("another node differs from this one") })
    #expect(try first.figure("different_nodes") == 1)
    let session = SessionClient(other.client(), key)
    #expect(try SessionClient(first.client(), key).post(#""increase""#).status == 200)
    other.process.signal(SIGTERM)
    #expect(try eventually { try other.client().get("/readyz").status == 503 })
    // The stopping node serves requests until the delay is over.
    #expect(try session.post(#""increase""#).json == ["value": 2])
  }
}

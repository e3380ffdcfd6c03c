import Testing

/// Three services on one store: each accepts any request for any session.
@Suite(.blocking) struct ClusterTests {
  /// Shared by the tests; each test uses sessions of its own.
  private static let shared = Result {
    try NodeCluster(["--stopwatch-interval", "0.05"], program: "adjustable")
  }

  private let cluster: NodeCluster

  init() throws {
    cluster = try Self.shared.get()
  }

  @Test func `an action of any node is in the State of all, and a key is used once`() throws {
    let clients = cluster.clients(of: "counter", "any")
    for (index, client) in clients.enumerated() {
      #expect(try client.post(#""increase""#).json == ["value": .number(Double(index + 1))])
    }
    let key = ["Idempotency-Key": "\"once\""]
    for client in clients {
      #expect(try client.post(#"{"add":10}"#, key).json == ["value": 13])
    }
    let tag = try #require(try clients[0].state()["ETag"])
    for client in clients {
      let state = try client.state()
      #expect(try state.json["value"] == 13)
      #expect(state["ETag"] == tag)
      #expect(try client.log().json.array?.count == 4)
      #expect(try client.state("?version=2").json == ["value": 2])
    }
    #expect(try clients[1].post(#""increase""#, ["If-Match": tag]).status == 200)
    try expectProblem(
      try clients[2].post(#""increase""#, ["If-Match": tag]), 412, "version-mismatch")
    let invalid = try clients[2].post(#"{"add":"x"}"#)
    #expect(invalid.status == 422, "\(invalid.text)")
    // One of the nodes has the session in memory and executes its actions.
    let owners = try cluster.nodes.map { node in
      try MetricsReading(node.client())["reactord_actions_total{reactor=\"counter\"}"] ?? 0
    }
    #expect(owners.contains { $0 > 0 })
  }

  @Test func `a stream of any node has each commit once and in order`() throws {
    let clients = cluster.clients(of: "counter", "watched")
    #expect(try clients[0].put().status == 201)
    let streams = try clients.map { try $0.events() }
    for stream in streams { #expect(try stream.nextEvent()?.cursor?.version == 0) }
    for turn in 0..<30 {
      #expect(try clients[turn % 3].post(#""increase""#).status == 200)
    }
    for stream in streams {
      let versions = try stream.events(upTo: 30).compactMap { $0.cursor?.version }
      #expect(versions == versions.sorted() && Set(versions).count == versions.count)
    }
    // The sum can be larger, since other tests use the same nodes.
    let published = try cluster.nodes.map { try $0.figure("published_commits_total") ?? 0 }
    #expect(published.reduce(0, +) >= 30, "\(published)")
    for client in clients {
      let replay = try client.events("?replay=all").events(upTo: 30)
      #expect(replay.compactMap { $0.cursor?.version } == Array(0...30))
    }
    #expect(try clients[2].delete().status == 204)
    for client in clients { #expect(try client.state().status == 410) }
    for stream in streams {
      var last: ServerSentEvent?
      while let event = try stream.nextEvent() { last = event }
      #expect(last?.event == "end")
    }
  }

  @Test func `a reader of changes continues at another node at once`() throws {
    let cluster = try NodeCluster(["--changes-keep", "3600"], count: 2)
    let clients = cluster.nodes.map { $0.client() }
    let session = cluster.clients(of: "counter", "changes")[0]
    var seen = 0
    for round in 1...20 {
      #expect(try session.post(#""increase""#).status == 200)
      // One of the nodes has published the change.
      let ids = try clients.compactMap {
        try $0.get("/v1/changes").json.array?.last?["id"]?.string
      }
      for id in ids {
        seen += 1
        for client in clients {
          let page = try client.get("/v1/changes?after=\(id)")
          #expect(page.status == 200, "\(round): \(page.text)")
        }
      }
    }
    #expect(seen >= 20)
    let store = try #require(
      clients[0].get("/v1/changes").json.array?.first?["id"]?.string?.split(separator: ".").first)
    #expect(try clients[1].get("/v1/changes?after=\(store).99999").status == 410)
  }

  @Test func `a global that is set at one node reaches the sessions of all`() throws {
    let path = "/v1/globals/currentUser"
    let clients = cluster.clients(of: "profile", "reader")
    let streams = try clients.map { try $0.events() }
    for stream in streams { _ = try stream.nextEvent() }
    for (index, node) in cluster.nodes.enumerated() {
      let name = "Ada \(index)"
      let put = try node.client().send("PUT", path, json: #"{"name":"\#(name)"}"#)
      #expect(put.status == 200)
      let version = try #require(put["ETag"])
      for other in cluster.nodes {
        #expect(try eventually { try other.client().get(path)["ETag"] == version })
        #expect(try eventually { try other.client().get(path).json["name"] == .string(name) })
      }
      for stream in streams {
        var user: JSON?
        while user?["name"] != .string(name) {
          user = try #require(try stream.nextEvent()).json["user"]
        }
      }
    }
  }

  @Test func `presence, signals and activity reach the subscribers of other nodes`() throws {
    let clients = cluster.clients(of: "stopwatch", "together")
    #expect(try clients[0].put().status == 201)
    let names = ["Ada", "Ben", "Cem"]
    let streams = try zip(clients, names).map {
      try $0.events("?presence=true&signals=true&activity=true&name=\($1)")
    }
    for stream in streams {
      try stream.skip { event in
        guard event.event == "presence" else { return false }
        let present = try event.json["subscribers"]?.array ?? []
        return present.compactMap { $0["name"]?.string } == names
      }
    }
    for client in clients {
      let isComplete = try eventually {
        try client.client.get(client.path + "/subscribers").json["count"] == 3
      }
      #expect(isComplete)
      let sent = try client.client.send(
        "POST", client.path + "/signals?name=Eve", json: #"{"at":"\#(client.client.port)"}"#)
      #expect(sent.status == 204)
      for stream in streams {
        try stream.skip { event in
          guard event.event == "signal" else { return false }
          #expect(try event.json["from"] == "Eve")
          return try event.json["signal"]?["at"]?.string == "\(client.client.port)"
        }
      }
    }
    #expect(try clients[1].post(#""start""#, ["Prefer": "respond-async"]).status == 202)
    for stream in streams {
      try stream.skip { try $0.event == "activity" && $0.json["running"]?.int == 1 }
    }
    #expect(try clients[2].effects().count == 1)
    try clients[2].post(#""stop""#)
    for stream in streams {
      try stream.skip { try $0.event == "activity" && $0.json["running"]?.int == 0 }
    }
    for stream in streams.dropFirst() { stream.abort() }
    try streams[0].skip { try $0.event == "presence" && $0.json["count"]?.int == 1 }
  }

  @Test func `a stream or a signal of a session that does not exist puts it into no list`() throws {
    let cluster = try NodeCluster()
    for (index, client) in cluster.clients(of: "counter", "absent").enumerated() {
      let stream = try client.events()
      #expect(try stream.nextEvent()?.json == ["value": 0])
      #expect(try client.client.send("POST", "\(client.path)/signals", json: "1").status == 204)
      for node in cluster.nodes {
        let list = try node.client().get("/v1/reactors/counter/sessions").json
        #expect(list["sessions"]?.array == [], "\(index): \(list)")
      }
    }
  }

  @Test func `lists, forks, parameters and the timers of a session are those of all nodes`() throws
  {
    let clients = cluster.clients(of: "auction", "lot")
    let put = try clients[0].client.send(
      "PUT", clients[0].path,
      json: #"{"parameters":{"item":"lamp","endsAt":"2099-01-01T00:00:00Z"}}"#)
    #expect(put.status == 201, "\(put.text)")
    #expect(try clients[1].post(#""open""#).status == 200)
    for client in clients {
      #expect(try client.state().json["item"] == "lamp")
      let timers = try client.client.get(client.path + "/timers").json["timers"]?.array
      #expect(timers?.count == 1)
      #expect(try client.client.get(client.path + "/parameters").json["item"] == "lamp")
    }
    for (index, client) in clients.enumerated() {
      let fork = try client.client.send(
        "POST", client.siblings, json: #"{"id":"fork-\#(index)","from":{"session":"lot"}}"#)
      #expect(fork.status == 201, "\(fork.text)")
    }
    for client in clients {
      let list = try client.client.get(client.siblings).json["sessions"]?.array ?? []
      #expect(list.compactMap { $0["id"]?.string } == ["fork-0", "fork-1", "fork-2", "lot"])
    }
  }

  @Test func `each node lists all nodes, and each list of sessions the owners`() throws {
    let id = "placed"
    let client = cluster.clients(of: "counter", id)[0]
    #expect(try client.post(#""increase""#).status == 200)
    var owners: Set<String?> = []
    for (index, node) in cluster.nodes.enumerated() {
      let nodes = try node.client().get("/v1/nodes").json["nodes"]?.array ?? []
      #expect(nodes.map { $0["name"]?.string } == ["n1", "n2", "n3"])
      #expect(nodes.map { $0["isThis"] == true } == (0..<3).map { $0 == index })
      for listed in nodes {
        #expect(listed["state"] == "ready")
        #expect(listed["differences"]?.array?.isEmpty == true)
      }
      // A list omits the owner if its node replies late.
      var owner: String?
      _ = try eventually {
        let sessions = try node.client().get(client.siblings + "?prefix=\(id)").json["sessions"]
        owner = sessions?.array?.first?["node"]?.string
        return owner != nil
      }
      owners.insert(owner)
    }
    #expect(owners.count == 1 && !owners.contains(nil))
    let names = try cluster.nodes.flatMap { node in
      try node.client().get("/v1/nodes").json["nodes"]?.array ?? []
    }
    let versions = Set(names.compactMap { $0["version"]?.string })
    #expect(versions.count == 1)
    #expect(names.contains { $0["sessions"]?.int ?? 0 > 0 })
  }

  @Test func `a node reports the other nodes in its readiness, metrics and log`() throws {
    for node in cluster.nodes {
      let ready = try node.client().get("/readyz")
      #expect(ready.status == 200 && ready.text == #"{"status":"ready"}"#)
      #expect(try node.figure("nodes") == 3)
      #expect(try node.figure("different_nodes") == 0)
      #expect(eventually { node.standardError.contains("joined the cluster") })
    }
    for client in cluster.clients(of: "counter", "forwarded") {
      #expect(try client.post(#""increase""#).status == 200)
    }
    let forwarded = try cluster.nodes.map { try $0.figure("forwarded_requests_total") ?? 0 }
    #expect(forwarded.reduce(0, +) >= 2, "\(forwarded)")
  }
}

extension EventStream {
  /// Reads events up to one that satisfies a condition.
  fileprivate func skip(to isMatch: (ServerSentEvent) throws -> Bool) throws {
    while let event = try nextEvent() {
      if try isMatch(event) { return }
    }
    throw WireError.closed(within: "events")
  }
}

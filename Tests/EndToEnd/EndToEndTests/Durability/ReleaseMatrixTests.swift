import Foundation
import Testing

/// Every change of a type, in every kind of stored data, forward to the later release and back.
///
/// The data is read, or it is blocked and named. It is never a 500, and never lost.
@Suite(.blocking) struct ReleaseMatrixTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let changes = [
    "MemberWithDefault", "MemberWithoutDefault", "OptionalMember", "RemovedMember",
    "RenamedMember", "ChangedType", "NewCase", "RemovedCase", "OtherPayload", "NestedType",
    "RawValue",
  ]

  private func start(release: Int, _ flags: String...) throws -> ReactordProcess {
    try ReactordProcess(
      ["--store", "sqlite:\(folder["log.db"])", "--release", "\(release)", "--log-retain", "5"]
        + flags, program: "releases")
  }

  private func kill(_ server: ReactordProcess) throws {
    server.process.kill()
    try server.process.wait()
  }

  private func sqlite(_ statement: String) throws -> String {
    let shell = try ChildProcess("/usr/bin/sqlite3", [folder["log.db"], statement])
    try shell.wait()
    return shell.standardOutput
  }

  private func session(
    _ reactor: String, _ id: String, of server: ReactordProcess
  ) -> SessionClient {
    SessionClient(server.client(), "/v1/reactors/\(reactor)/sessions/\(id)")
  }

  /// The example actions of a release: put, remind, hold and send.
  private func examples(_ change: String, of server: ReactordProcess) throws -> [String] {
    let page = try server.client().get("/v1/reactors/\(change)").json
    return try #require(page["exampleActions"]?.array).map(\.text)
  }

  /// Checks that a State is read, or is blocked and named.
  ///
  /// - Returns: Whether it is read.
  private func isRead(_ response: HTTPResponse, _ place: String) throws -> Bool {
    if response.status == 200 { return true }
    #expect(response.status == 503, "\(place): \(response.text)")
    try expectProblem(response, 503, "session-unreadable")
    return false
  }

  /// The data that a release has written about one change.
  private struct Written {
    var states: [String: String] = [:]
    var actions: [String] = []
  }

  private func write(_ change: String, on server: ReactordProcess) throws -> Written {
    var written = Written(actions: try examples(change, of: server))
    let (put, remind, hold, send) = (
      written.actions[0], written.actions[1], written.actions[2], written.actions[3]
    )
    let client = server.client()
    let old = session(change, "old", of: server)
    #expect(try old.post(put, ["Idempotency-Key": "k"]).status == 200)
    // The snapshot replaces the entries before it.
    let long = session(change, "long", of: server)
    let array = "[" + Array(repeating: put, count: 1000).joined(separator: ",") + "]"
    #expect(try long.post(array).status == 200)
    #expect(try long.post(put).status == 200)
    let work = session(change, "work", of: server)
    #expect(try work.post(remind).status == 200)
    for action in [hold, send] {
      #expect(try work.post(action, ["Prefer": "respond-async"]).status == 202)
    }
    let reactor = change + "-parameters"
    let sample = try client.get("/v1/reactors/\(reactor)").json["exampleParameters"]
    let created = try client.send(
      "PUT", session(reactor, "old", of: server).path,
      json: #"{"parameters":\#(try #require(sample).text)}"#)
    #expect(created.status == 201)
    #expect(try session(reactor, "old", of: server).post(#"{"put":1}"#).status == 200)
    #expect(
      try client.send("PUT", "/v1/globals/\(change)", json: #require(sample).text).status
        == 200)
    for (name, id) in [(change, "old"), (change, "long"), (reactor, "old")] {
      written.states[name + id] = try session(name, id, of: server).state().text
    }
    return written
  }

  /// The lists of a session's unreadable work.
  private func unreadable(_ session: SessionClient) throws -> (timers: [JSON], effects: [JSON]) {
    func list(_ name: String) throws -> [JSON] {
      let response = try session.client.get("\(session.path)/\(name)")
      guard response.status != 503 else { return [] }
      #expect(response.status == 200, "\(response.text)")
      return (try response.json[name]?.array ?? []).filter { $0["unreadable"] == true }
    }
    return (try list("timers"), try list("effects"))
  }

  @Test
  func `data that a release cannot read is blocked and named, and continues with one that can`()
    throws
  {
    let first = try start(release: 1, "--holds", "1")
    var written: [String: Written] = [:]
    for change in Self.changes { written[change] = try write(change, on: first) }
    try kill(first)
    // All timers are due.
    _ = try sqlite("UPDATE timers SET due = 1")
    let before = try sqlite("SELECT count(*) FROM accepted; SELECT count(*) FROM timers")
    #expect(before == "\(Self.changes.count * 2)\n\(Self.changes.count)\n")

    // Forward.
    let second = try start(release: 2)
    var later: [String: String] = [:]
    var blocked: Set<String> = []
    for change in Self.changes {
      let client = second.client()
      for id in ["old", "long"] {
        let state = try session(change, id, of: second).state()
        if try !isRead(state, "\(change) \(id)") { blocked.insert(change) }
      }
      _ = try isRead(
        session(change + "-parameters", "old", of: second).state(), change + " parameters")
      _ = try isRead(client.get("/v1/globals/\(change)"), change + " global")
      let key = ["Idempotency-Key": "k"]
      let again = try session(change, "old", of: second).post(
        written[change]?.actions[0] ?? "", key)
      #expect([200, 422, 503].contains(again.status), "\(change): \(again.text)")
      let put = try examples(change, of: second)[0]
      let new = session(change, "new", of: second)
      #expect(try new.post(put).status == 200, "\(change)")
      later[change] = try new.state().text
    }
    // A session of which nothing but the timer and the actions contains the value.
    for change in Self.changes {
      let work = session(change, "work", of: second)
      guard blocked.contains(change) else {
        #expect(
          try eventually { try work.state().json["values"]?.array?.count == 2 }, "\(change)")
        continue
      }
      #expect(
        try eventually {
          let (timers, effects) = try unreadable(work)
          return timers.count == 1 && effects.count == 2
        }, "\(change)")
      #expect(
        try eventually {
          let failures = try work.client.get("/v1/reactors/\(change)/failures").json["failures"]
          let named = (failures?.array ?? []).filter { $0["unreadable"] == true }
          return named.contains { $0["timer"] == "reminder" }
            && named.count { $0["effect"] != nil } == 2
        }, "\(change)")
      // Blocked work does not prevent other work.
      #expect(try work.post(examples(change, of: second)[0]).status == 200, "\(change)")
      try expectProblem(
        try session(change, "old", of: second).post(#"{"put":{"unknown":1}}"#), 503,
        "session-unreadable")
    }
    #expect(!blocked.isEmpty && blocked.count < Self.changes.count)
    // The outcome of a send is stored after its effect has ended.
    var rows = ""
    func hasRow(_ change: String) -> Bool {
      rows.contains(change + (blocked.contains(change) ? "|2|1" : "|0|0") + "\n")
    }
    _ = try eventually {
      rows = try sqlite(
        """
        SELECT reactor, (SELECT count(*) FROM accepted WHERE accepted.session = sessions.id),
          (SELECT count(*) FROM timers WHERE timers.session = sessions.id)
        FROM sessions WHERE session = 'work'
        """)
      return Self.changes.allSatisfy(hasRow)
    }
    for change in Self.changes { #expect(hasRow(change), "\(change): \(rows)") }
    let metrics = try second.client().get("/metrics").text
    #expect(
      metrics.contains(#"reactord_unreadable{reactor="RenamedMember",kind="action"} 2"#))
    #expect(metrics.contains(#"reactord_unreadable{reactor="RenamedMember",kind="timer"} 1"#))
    #expect(
      eventually {
        second.standardError.contains("stored action cannot be read by this release")
      })
    try kill(second)

    // Back.
    let third = try start(release: 1)
    for change in Self.changes {
      for (name, id) in [(change, "old"), (change, "long"), (change + "-parameters", "old")] {
        let state = try session(name, id, of: third).state()
        #expect(state.text == written[change]?.states[name + id], "\(name) \(id)")
      }
      let again = try session(change, "old", of: third).post(
        written[change]?.actions[0] ?? "", ["Idempotency-Key": "k"])
      #expect(again["Idempotent-Replayed"] == "true", "\(change): \(again.text)")
      #expect(try third.client().get("/v1/globals/\(change)").status == 200, "\(change)")
      _ = try isRead(session(change, "new", of: third).state(), "\(change) new")
      // The entries of the later release may be unreadable here.
      let work = session(change, "work", of: third)
      #expect(
        try eventually {
          let state = try work.state()
          guard state.status == 200 else {
            return state.status == 503 && state.text.contains("session-unreadable")
          }
          return (try state.json["values"]?.array?.count ?? 0) >= 2
        }, "\(change)")
    }
    try kill(third)

    // Forward again.
    let fourth = try start(release: 2)
    for change in Self.changes {
      #expect(try session(change, "new", of: fourth).state().text == later[change], "\(change)")
    }
    #expect(
      try fourth.client().get("/metrics").text.contains("reactord_unreadable"))
    for server in [first, second, third, fourth] {
      #expect(!server.standardError.contains("given up"))
    }
  }

  @Test func `blocked work continues after a rollback, or is removed by a client`() throws {
    let first = try start(release: 1, "--holds", "1")
    let change = "OtherPayload"
    let actions = try examples(change, of: first)
    for id in ["retained", "removed"] {
      let work = session(change, id, of: first)
      #expect(try work.post(actions[1]).status == 200)
      #expect(
        try work.post(actions[2], ["Prefer": "respond-async", "Idempotency-Key": "k"]).status == 202
      )
    }
    try kill(first)
    _ = try sqlite("UPDATE timers SET due = 1, period = 1000")

    let second = try start(release: 2)
    let removed = session(change, "removed", of: second)
    #expect(
      try eventually {
        let (timers, effects) = try unreadable(removed)
        return timers.count == 1 && effects.count == 1
      })
    let effect = try #require(try unreadable(removed).effects.first?["id"]?.string)
    // An unreadable repeating timer is met once.
    #expect(
      eventually {
        second.standardError.components(separatedBy: "timer=reminder").count == 3
      })
    #expect(try removed.client.send("DELETE", "\(removed.path)/effects/\(effect)").status == 204)
    #expect(try removed.client.send("DELETE", "\(removed.path)/timers/reminder").status == 204)
    let (timers, effects) = try unreadable(removed)
    #expect(timers.isEmpty && effects.isEmpty)
    let failures = try removed.client.get("/v1/reactors/\(change)/failures").json["failures"]
    let sessions = (failures?.array ?? []).compactMap { $0["session"]?.string }
    #expect(Set(sessions) == ["retained"] && sessions.count == 2)
    try kill(second)
    #expect(try sqlite("SELECT count(*) FROM accepted; SELECT count(*) FROM timers") == "1\n1\n")

    let third = try start(release: 1)
    let retained = session(change, "retained", of: third)
    #expect(try eventually { (try retained.state().json["values"]?.array?.count ?? 0) >= 2 })
    #expect(try session(change, "removed", of: third).state().json["values"] == [])
    let again = try session(change, "removed", of: third).post(
      actions[2], ["Prefer": "respond-async", "Idempotency-Key": "k"])
    #expect(again["Idempotent-Replayed"] == "true")
  }
}

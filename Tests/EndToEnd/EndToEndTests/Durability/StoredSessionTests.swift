import Foundation
import Testing

/// Failures of the store that affect one session.
@Suite(.blocking) struct StoredSessionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start() throws -> ReactordProcess {
    try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
  }

  @Test func `an unreadable session is a problem of that session only`() throws {
    let path = "/v1/reactors/counter/sessions/"
    let before = try start()
    for id in ["good", "bad"] {
      #expect(
        try SessionClient(before.client(), path + id).post(#"["increase","increase"]"#).status
          == 200)
    }
    try before.stop()
    try edit(
      """
      UPDATE mutations
      SET mutation = iif(version = 2, '{"vanished":1}', mutation), checksum = NULL
      WHERE session = (SELECT id FROM sessions WHERE session = 'bad')
      """)

    let server = try start()
    let bad = SessionClient(server.client(), path + "bad")
    for response in [
      try bad.state(), try bad.post(#""increase""#), try bad.state("?version=2"),
      try server.client().get(bad.path + "/events", ["Accept": "text/event-stream"]),
    ] {
      #expect(try expectProblem(response, 503, "session-unreadable")["version"] == 2)
    }
    // The versions before the damaged one can be read.
    #expect(try bad.state("?version=1").json == ["value": 1])
    try expectProblem(try bad.state("?version=3"), 404, "unknown-version")
    let entries = try bad.log().json.array ?? []
    #expect(entries.map { $0["version"] } == [1, 2])
    #expect(entries.last?["mutation"] == ["vanished": 1])
    let good = SessionClient(server.client(), path + "good")
    #expect(try good.post(#""increase""#).json == ["value": 3])
    #expect(
      eventually {
        server.standardError.contains(
          "session cannot be read by this release reactor=counter session=bad")
      })

    // The damaged session can be deleted and created again.
    #expect(try bad.delete().status == 204)
    #expect(try bad.put().status == 201)
    #expect(try bad.post(#""increase""#).json == ["value": 1])
  }

  @Test func `the versions beside a damaged one stay readable`() throws {
    let path = "/v1/reactors/counter/sessions/damaged"
    let before = try start()
    for count in [1000, 10] {
      let actions = Array(repeating: #""increase""#, count: count).joined(separator: ",")
      let session = SessionClient(before.client(), path)
      #expect(try session.post("[\(actions)]", ["Prefer": "wait=600"]).status == 200)
      // Wait for the snapshot of version 1000, which version 1005 needs: a snapshot contains the
      // version that is current when it is written.
      #expect(eventually { (try? query("SELECT max(version) FROM snapshots")) == "1000" })
    }
    try before.stop()
    try edit("UPDATE mutations SET at = at + 1 WHERE version = 500")

    // The session can be loaded, because it has a snapshot of a version after the damaged one.
    let server = try start()
    let session = SessionClient(server.client(), path)
    let current = try session.state()
    #expect(try current.json == ["value": 1010])
    for version in [1, 499, 1005] {
      #expect(try session.state("?version=\(version)").json == ["value": .number(Double(version))])
    }
    try expectProblem(try session.state("?version=500"), 500, "effect-failed")
    try expectProblem(try session.state("?version=700"), 500, "effect-failed")

    let page = try session.log("?limit=1000")
    #expect(try page.json.array?.count == 499)
    try expectProblem(try server.client().get(#require(page.nextPage)), 500, "effect-failed")
    let after = try session.log("?after=500&limit=1000")
    #expect(try after.json.array?.first?["version"] == 501)
    #expect(try after.json.array?.count == 510)

    // A replay ends before the damaged version; its client continues with the current State.
    let replay = try session.events("?replay=all")
    var last: ServerSentEvent?
    while let event = try replay.nextEvent() { last = event }
    #expect(last?.data == #"{"value":499}"#)
    let next = try session.events("?replay=all", ["Last-Event-ID": try #require(last?.id)])
    #expect(try next.nextEvent()?.event == "reset")
    #expect(try next.nextEvent()?.data == #"{"value":1010}"#)
  }

  private func edit(_ statement: String) throws {
    #expect(try query(statement).isEmpty)
  }

  private func query(_ statement: String) throws -> String {
    let shell = try ChildProcess(
      "/usr/bin/sqlite3", ["-cmd", ".timeout 300000", folder["log.db"], statement])
    let row = shell.firstLine() ?? ""
    #expect(try shell.wait() == .code(0))
    return row
  }

  @Test func `deleting sessions while their effects run does not fail the log`() throws {
    let server = try ReactordProcess(
      "--store", "sqlite:\(folder["log.db"])", "--stopwatch-interval", "0.01", program: "adjustable"
    )
    let sessions = (0..<20).map { _ in server.session(of: "stopwatch") }
    for session in sessions {
      #expect(try session.post(#""start""#, ["Prefer": "respond-async"]).status == 202)
    }
    for session in sessions {
      #expect(try session.delete().status == 204)
      #expect(try session.state().status == 410)
    }
    try server.stop()
    #expect(!server.standardError.contains(" error "), "\(server.standardError)")
  }
}

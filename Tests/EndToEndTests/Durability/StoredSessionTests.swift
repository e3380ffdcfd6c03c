import Foundation
import Testing

/// Failures of the store that affect one session.
@Suite(.blocking) struct StoredSessionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start(_ flags: String...) throws -> ReactordProcess {
    try ReactordProcess(["--store", "sqlite:\(folder["log.db"])"] + flags)
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
    let edit = try ChildProcess(
      "/usr/bin/sqlite3",
      [
        folder["log.db"],
        """
        UPDATE mutations
        SET mutation = iif(version = 2, '{"vanished":1}', mutation), checksum = NULL
        WHERE session = (SELECT id FROM sessions WHERE session = 'bad')
        """,
      ])
    #expect(try edit.wait() == .code(0))

    let server = try start()
    let bad = SessionClient(server.client(), path + "bad")
    for response in [
      try bad.state(), try bad.post(#""increase""#), try bad.log(),
      try server.client().get(bad.path + "/events", ["Accept": "text/event-stream"]),
    ] {
      #expect(try expectProblem(response, 500, "effect-failed")["version"] == 2)
    }
    let good = SessionClient(server.client(), path + "good")
    #expect(try good.post(#""increase""#).json == ["value": 3])
    #expect(server.standardError.contains("session cannot be read reactor=counter session=bad"))

    // It can be created again.
    #expect(try bad.delete().status == 204)
    #expect(try bad.put().status == 201)
    #expect(try bad.post(#""increase""#).json == ["value": 1])
  }

  @Test func `deleting sessions while their effects run does not fail the log`() throws {
    let server = try start("--stopwatch-interval", "0.01")
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

import Foundation
import Testing

/// `GET …/effects` and `DELETE …/effects/{id}`: running effects, and their cancellation.
@Suite(.blocking)
struct EffectTests {
  private let folder: TemporaryFolder
  private let server: ReactordProcess
  private let session: SessionClient

  init() throws {
    folder = try TemporaryFolder()
    server = try Self.start(folder)
    session = server.session(of: "stopwatch")
  }

  private static func start(_ folder: TemporaryFolder) throws -> ReactordProcess {
    try ReactordProcess(
      "--store", "sqlite:\(folder["log.db"])", "--stopwatch-interval", "0.02", program: "adjustable"
    )
  }

  private func start(_ session: SessionClient) throws {
    #expect(try session.post(#""start""#, ["Prefer": "respond-async"]).status == 202)
  }

  private func cancel(_ id: String, of session: SessionClient) throws -> HTTPResponse {
    try session.client.send("DELETE", "\(session.path)/effects/\(id)")
  }

  private func effectID() throws -> String {
    try #require(try session.effects().first?["id"]?.string)
  }

  @Test
  func
    `a cancelled stopwatch stops ticking, its waiting request completes, and no effect restarts`()
    throws
  {
    #expect(try session.effects().isEmpty)
    let stream = try session.events()
    let waiting = server.client()
    try waiting.start(
      "POST", session.path + "/actions",
      ["Prefer": "wait=60", "Idempotency-Key": "k", "Content-Type": "application/json"],
      body: Array(#""start""#.utf8))
    _ = try stream.events(upTo: 4)
    let effect = try #require(try session.effects().first)
    #expect(effect.names == ["id", "action", "startedAt", "progress", "unreadable"])
    #expect(effect["action"] == "start")
    #expect(effect["progress"] == JSON.null)
    #expect(effect["startedAt"]?.string?.hasSuffix("Z") == true)

    let response = try cancel(try effectID(), of: session)
    #expect(response.status == 204)
    #expect(response.body.isEmpty)
    #expect(try session.effects().isEmpty)
    let cancelled = try session.state()
    #expect(try cancelled.json["ticks"]?.int ?? 0 >= 2)
    #expect(try waiting.response(to: "POST").status == 200)

    // Another stopwatch ticks while the cancelled one must not change.
    let other = server.session(of: "stopwatch")
    let others = try other.events()
    try start(other)
    _ = try others.events(upTo: 6)
    #expect(try session.state()["ETag"] == cancelled["ETag"])

    server.process.kill()
    try server.process.wait()
    let second = try Self.start(folder)
    let again = SessionClient(second.client(), session.path)
    let third = SessionClient(second.client(), other.path)
    #expect(try eventually { try third.effects().count == 1 })
    #expect(try again.effects().isEmpty)
    #expect(try again.state()["ETag"] == cancelled["ETag"])
    let replayed = try again.post(#""start""#, ["Idempotency-Key": "k"])
    #expect(replayed.status == 200)
    #expect(replayed["Idempotent-Replayed"] == "true")
  }

  @Test func `cancelling an ended effect is 204 as well`() throws {
    try start(session)
    let id = try effectID()
    for id in [id, id, "never", "x%20y"] {
      #expect(try cancel(id, of: session).status == 204)
    }
  }

  @Test func `a deleted session is 410, an unknown one is not`() throws {
    try session.post(#""stop""#)
    #expect(try session.delete().status == 204)
    try expectProblem(
      session.client.get(session.path + "/effects"), 410, "session-ended")
    try expectProblem(cancel("x-1", of: session), 410, "session-ended")
    try expectProblem(
      session.client.get("/v1/reactors/none/sessions/a/effects"), 404, "unknown-reactor")
    try expectProblem(
      session.client.get(session.path + "/effects?limit=0"), 400, "invalid-parameter")
    try expectProblem(
      session.client.send("POST", session.path + "/effects/a"), 405, "method-not-allowed")
  }

  @Test func `listing effects does not create a stored session`() throws {
    #expect(try session.effects().isEmpty)
    #expect(try cancel("x-1", of: session).status == 204)
    server.process.kill()
    try server.process.wait()
    let second = try Self.start(folder)
    #expect(
      try second.client().get("/v1/reactors/stopwatch/sessions").json["sessions"]?.array == [])
  }
}

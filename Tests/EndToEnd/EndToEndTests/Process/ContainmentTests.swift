import Foundation
import Glibc
import Testing

/// Actions that crash the service are quarantined.
@Suite(.blocking)
struct ContainmentTests {
  private let folder: TemporaryFolder
  private let server: ReactordProcess
  private let session: SessionClient

  init() throws {
    folder = try TemporaryFolder()
    server = try Self.start(store: "sqlite:" + folder["log.db"], trap: folder["trap"])
    session = server.session(of: "faulty")
    #expect(try session.post(#"{"add":1}"#).status == 200)
  }

  /// Starts a service whose effects trap as soon as a file exists.
  private static func start(store: String, trap: String = "/") throws -> ReactordProcess {
    try ReactordProcess(
      ["--store", store], program: "faulty",
      environment: ["REACTORD_SUPERVISE": "true", "FAULTY_TRAP": trap])
  }

  /// Causes effects to trap.
  ///
  /// A test calls it after the responses to their actions.
  private func trap() throws {
    try "".write(toFile: folder["trap"], atomically: true, encoding: .utf8)
  }

  /// A client of the same session with a new connection.
  private func again(_ server: ReactordProcess? = nil) -> SessionClient {
    SessionClient((server ?? self.server).client(), session.path)
  }

  /// Waits until the log has a number of crashes: a thread of its own writes it.
  private func expectCrashes(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isLogged = eventually {
      server.standardError.components(separatedBy: "service crashed").count == count + 1
    }
    #expect(isLogged, "\(server.standardError)", sourceLocation: sourceLocation)
  }

  private func expectQuarantined(_ body: String, in session: SessionClient) throws {
    try expectProblem(session.post(body), 500, "action-crashed")
  }

  @Test func `three crashes in a minute quarantine the reactor, and others are served`() throws {
    let other = server.session(of: "other")
    #expect(try other.post(#"{"add":1}"#).status == 200)
    let start = ContinuousClock.now
    var (crashes, isQuarantined) = (0, false)
    while !isQuarantined, crashes < 30 {
      crashes += 1
      let poisoned = server.session(of: "faulty")
      #expect(throws: (any Error).self) {
        try poisoned.post(##"{"trapInMutateWith":"x\##(crashes)"}"##)
      }
      let served = SessionClient(server.client(), other.path)
      #expect(try served.post(#"{"add":1}"#).status == 200)
      let again = SessionClient(server.client(), poisoned.path)
      isQuarantined = try again.state().text.contains("reactor-quarantined")
      // Deleting the session removes its entries, and not the count.
      if !isQuarantined { #expect(try again.delete().status == 204) }
    }
    // On a busy machine, three crashes can take more than a minute.
    #expect(crashes == 3 || crashes > 3 && ContinuousClock.now - start > .seconds(60))
    for number in 1...5 {
      let response = try again().post(##"{"trapInMutateWith":"y\##(number)"}"##)
      try expectProblem(response, 503, "reactor-quarantined")
      #expect(response["Retry-After"] != nil)
      #expect(try SessionClient(server.client(), other.path).post(#"{"add":1}"#).status == 200)
    }
    try expectProblem(again().state(), 503, "reactor-quarantined")
    expectCrashes(crashes)
    #expect(try server.client().send("DELETE", "/v1/quarantine").status == 204)
    #expect(try again().post(#"{"add":1}"#).status == 200)
  }

  @Test(arguments: [
    #""trapInMutate""#, #""trapInReduce""#, #""trapInEncoding""#, #"{"trapInDecoding":true}"#,
    #"[{"add":1},"trapInMutate"]"#,
  ])
  func `an action that crashed the service is not executed again`(body: String) throws {
    #expect(throws: (any Error).self) { try session.post(body) }
    try expectQuarantined(body, in: again())
    try expectQuarantined(body, in: again())
    // The session and other sessions continue.
    #expect(try again().post(#"{"add":1}"#).status == 200)
    #expect(try server.session(of: "other").post(#"{"add":1}"#).json["value"] == 1)
    #expect(eventually { server.standardError.contains("action is quarantined reactor=faulty") })
    expectCrashes(1)
  }

  @Test func `another spelling of the action is rejected as well`() throws {
    #expect(throws: (any Error).self) { try session.post(#""trapInMutate""#) }
    try expectQuarantined(#"  "trapInMutate" "#, in: again())
    try expectQuarantined(#"{"trapInMutate":{}}"#, in: again())
    let answer = try again().post(#"[{"add":1},"trapInMutate",{"add":1}]"#)
    let problem = try expectProblem(answer, 500, "action-crashed")
    #expect(problem["index"] == 1)
    #expect(try again().state().json["value"] == 3)
    // A repetition of a key gets the same problem.
    for _ in 0..<2 {
      let body = #"[{"add":1},"trapInMutate"]"#
      let response = try again().post(body, ["Idempotency-Key": "\"k\""])
      #expect(try expectProblem(response, 500, "action-crashed")["index"] == 1)
    }
    #expect(try again().state().json["value"] == 4)
  }

  @Test func `the quarantine is logged, counted and listed until it is cleared`() throws {
    #expect(throws: (any Error).self) { try session.post(#""trapInMutate""#) }
    #expect(eventually { (try? server.client().get("/readyz").status) == 200 })
    // The log is written by a thread of its own, so a line can appear after the first response.
    #expect(eventually { server.standardError.contains("FaultyReactor.mutate") })
    let metrics = try server.client().get("/metrics").text
    #expect(metrics.contains("reactord_quarantined_actions 1\n"))
    #expect(metrics.contains("reactord_crashes_total 1\n"))
    let entries = try server.client().get("/v1/quarantine").json["quarantine"]?.array
    #expect(entries?.count == 1)
    #expect(entries?.first?["session"]?.string == session.id)
    #expect(entries?.first?["action"]?.string == #""trapInMutate""#)

    let store = ["--store", "sqlite:" + folder["log.db"]]
    let list = try ReactordProcess.launch(["quarantine", "list"] + store)
    #expect(try list.wait() == .code(0))
    #expect(list.standardOutput.contains(#""action":"\"trapInMutate\"""#))
    let clear = try ReactordProcess.launch(["quarantine", "clear"] + store)
    #expect(try clear.wait() == .code(0))
    #expect(clear.standardOutput == "1 entries removed\n")
    #expect(throws: (any Error).self) { try again().post(#""trapInMutate""#) }
    try expectQuarantined(#""trapInMutate""#, in: again())
    #expect(try server.client().send("DELETE", "/v1/quarantine").status == 204)
    let rest = try server.client().get("/v1/quarantine").json
    #expect(rest == ["quarantine": []])
  }

  @Test func `the quarantine survives a restart of the supervisor`() throws {
    #expect(throws: (any Error).self) { try session.post(#""trapInMutate""#) }
    try expectQuarantined(#""trapInMutate""#, in: again())
    #expect(try server.stop() == .code(0))
    let next = try Self.start(store: "sqlite:" + folder["log.db"])
    try expectQuarantined(#""trapInMutate""#, in: again(next))
    #expect(try again(next).post(#"{"add":1}"#).json["value"] == 2)
  }

  @Test func `a store in PostgreSQL has the quarantine, for every service on it`() throws {
    let flags = try ReactordProcess.newDatabase()
    let start = {
      try ReactordProcess(flags, program: "faulty", environment: ["REACTORD_SUPERVISE": "true"])
    }
    let server = try start()
    let session = server.session(of: "faulty")
    #expect(try session.post(#"{"add":1}"#).status == 200)
    #expect(throws: (any Error).self) { try session.post(#""trapInMutate""#) }
    try expectQuarantined(#""trapInMutate""#, in: SessionClient(server.client(), session.path))
    let metrics = try server.client().get("/metrics").text
    #expect(metrics.contains("reactord_quarantined_actions 1\n"))
    #expect(try server.stop() == .code(0))
    // The marks of the stopped supervisor are gone: the new service reads the quarantine from the
    // store.
    let next = try start()
    let again = SessionClient(next.client(), session.path)
    try expectQuarantined(#""trapInMutate""#, in: again)
    #expect(try again.post(#"{"add":1}"#).json["value"] == 2)
    #expect(try quarantine("list", flags).contains(#""action":"\"trapInMutate\"""#))
    #expect(try quarantine("clear", flags) == "1 entries removed\n")
    // The running service is notified of the removal.
    #expect(
      eventually { (try? next.client().get("/v1/quarantine").json) == ["quarantine": []] })
  }

  /// Runs a command for the quarantine of a store in PostgreSQL.
  ///
  /// - Returns: Its output.
  private func quarantine(_ command: String, _ flags: [String]) throws -> String {
    let process = try ReactordProcess.launch(["quarantine", command] + flags)
    #expect(try process.wait() == .code(0), "\(process.standardError)")
    return process.standardOutput
  }

  @Test func `with a store in memory, the supervisor retains the quarantine`() throws {
    let server = try Self.start(store: "memory")
    let session = server.session(of: "faulty")
    #expect(throws: (any Error).self) { try session.post(#""trapInMutate""#) }
    try expectQuarantined(#""trapInMutate""#, in: SessionClient(server.client(), session.path))
  }

  @Test func `an accepted action whose effect crashes the service is given up`() throws {
    let prefer = ["Prefer": "respond-async", "Idempotency-Key": "k"]
    #expect(try session.post(#""trapInEffect""#, prefer).status == 202)
    try trap()
    #expect(
      eventually {
        server.standardError.contains("interrupted action is given up")
      })
    #expect(eventually { (try? again().post(#"{"add":1}"#).status) == 200 })
    #expect(server.standardError.components(separatedBy: "service crashed").count <= 5)
    // The outcome is in the log, so it does not depend on the quarantine.
    #expect(try server.client().send("DELETE", "/v1/quarantine").status == 204)
    let repeated = try again().post(#""trapInEffect""#, ["Idempotency-Key": "k"])
    try expectProblem(repeated, 500, "action-crashed")
  }

  @Test(arguments: [#""trapInEffect""#, #""trapInTask""#])
  func `a crash in the code of an effect is attributed to its action alone`(body: String) throws {
    let other = server.session(of: "faulty")
    let prefer = ["Prefer": "respond-async"]
    #expect(try other.post(#""wait""#, prefer).status == 202)
    #expect(try session.post(body, prefer).status == 202)
    try trap()
    #expect(eventually { server.standardError.contains("interrupted action is given up") })
    #expect(eventually { (try? again().post(#"{"add":1}"#).status) == 200 })
    let entries = try server.client().get("/v1/quarantine").json["quarantine"]?.array
    #expect(entries?.map { $0["action"]?.string } == [body])
    #expect(entries?.first?["session"]?.string == session.id)
    expectCrashes(1)
    // The effect of the other session is running again.
    let next = SessionClient(server.client(), other.path)
    #expect(eventually { (try? next.effects().count) == 1 })
  }

  @Test func `the end of a session removes its entries from the quarantine`() throws {
    let other = server.session(of: "faulty")
    #expect(throws: (any Error).self) { try session.post(#""trapInMutate""#) }
    try expectQuarantined(#""trapInMutate""#, in: again())
    let next = SessionClient(server.client(), other.path)
    #expect(throws: (any Error).self) { try next.post(#""trapInMutate""#) }
    try expectQuarantined(#""trapInMutate""#, in: SessionClient(server.client(), other.path))
    #expect(try again().delete().status == 204)
    let entries = try server.client().get("/v1/quarantine").json["quarantine"]?.array
    #expect(entries?.map { $0["session"]?.string } == [other.id])
    #expect(try server.client().get("/metrics").text.contains("reactord_quarantined_actions 1\n"))
  }

  @Test func `a process that was killed quarantines nothing`() throws {
    let service = try #require(
      String(
        contentsOfFile: "/proc/\(server.process.id)/task/\(server.process.id)/children",
        encoding: .utf8
      ).split(separator: " ").first.flatMap { pid_t($0) })
    kill(service, SIGKILL)
    #expect(eventually { server.standardError.contains("service restarted") })
    #expect(try again().post(#"{"add":1}"#).json["value"] == 2)
    #expect(try server.client().get("/v1/quarantine").json == ["quarantine": []])
  }
}

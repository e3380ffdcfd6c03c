import Foundation
import Testing

/// Actions that were accepted but not completed when the process ended.
@Suite(.blocking) struct AcceptedActionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start() throws -> ReactordProcess {
    try ReactordProcess(
      "--store", "sqlite:\(folder["log.db"])", "--stopwatch-interval", "0.05", program: "adjustable"
    )
  }

  private func stopwatch(_ server: ReactordProcess, _ id: String = "one") -> SessionClient {
    SessionClient(server.client(), "/v1/reactors/stopwatch/sessions/\(id)")
  }

  private func rows(_ query: String) throws -> String {
    let shell = try ChildProcess("/usr/bin/sqlite3", ["-readonly", folder["log.db"], query])
    try shell.wait()
    return shell.standardOutput
  }

  private func waitForTicks(_ server: ReactordProcess) throws {
    let before = try stopwatch(server).state().json["ticks"]?.int ?? 0
    #expect(try eventually { try stopwatch(server).state().json["ticks"]?.int ?? 0 > before + 1 })
  }

  @Test(arguments: [SIGKILL, SIGTERM])
  func `a running stopwatch continues after a kill without a request, and one stop ends it`(
    _ signal: Int32
  ) throws {
    let first = try start()
    #expect(
      try stopwatch(first).post(#""start""#, ["Prefer": "respond-async"]).status == 202)
    first.process.signal(signal)
    try first.process.wait()

    let second = try start()
    // The stopwatch must continue although no client has requested its session.
    #expect(
      try eventually { try rows("SELECT count(*) > 3 FROM mutations") == "1\n" })
    try waitForTicks(second)
    #expect(try stopwatch(second).post(#""stop""#).json["isRunning"] == false)
    #expect(try eventually { try rows("SELECT count(*) FROM accepted") == "0\n" })
    let stopped = try stopwatch(second).state()
    second.process.kill()
    try second.process.wait()
    let third = try start()
    #expect(try stopwatch(third).state().text == stopped.text)
    let starts = try stopwatch(third).log("?limit=1000").json.array?.count {
      $0["mutation"] == ["setRunning": true]
    }
    #expect(starts == 1)
  }

  @Test func `an action that runs between kills is never given up`()
    throws
  {
    var server = try start()
    try stopwatch(server).post(#""start""#, ["Prefer": "respond-async"])
    for _ in 0..<3 {
      server.process.signal(SIGTERM)
      try server.process.wait()
      #expect(try rows("SELECT runs FROM accepted") == "0\n")
      server = try start()
      try waitForTicks(server)
    }
  }

  @Test func `a key identifies its action across a kill`() throws {
    let first = try start()
    let key = ["Idempotency-Key": "k", "Prefer": "respond-async"]
    #expect(try stopwatch(first).post(#""start""#, key).status == 202)
    first.process.kill()
    try first.process.wait()
    let second = try start()
    for preference in ["respond-async", "wait=0", "return=minimal, wait=0"] {
      let fields = key.merging(["Prefer": preference]) { $1 }
      #expect(try stopwatch(second).post(#""start""#, fields).status == 202)
    }
    try stopwatch(second).post(#""stop""#)
    // A repetition with the same preference gets 202 also when the effect has ended.
    var response = try stopwatch(second).post(#""start""#, key)
    _ = try eventually {
      if response["Idempotent-Replayed"] == nil {
        response = try stopwatch(second).post(#""start""#, key)
      }
      return response["Idempotent-Replayed"] == "true"
    }
    #expect(response.status == 202)
    second.process.kill()
    try second.process.wait()
    let third = try start()
    let again = try stopwatch(third).post(#""start""#, key)
    #expect(again.text == response.text)
    #expect(again["ETag"] == response["ETag"])
  }

  @Test func `a deleted session does not continue`() throws {
    let first = try start()
    try stopwatch(first).post(#""start""#, ["Prefer": "respond-async"])
    #expect(try stopwatch(first).delete().status == 204)
    first.process.kill()
    try first.process.wait()
    let second = try start()
    #expect(try stopwatch(second).state().status == 410)
    #expect(try stopwatch(second).put().json == ["ticks": 0, "isRunning": false])
  }

  @Test func `a synchronous action leaves no row behind and adds no commit`() throws {
    let server = try start()
    let counter = server.session(of: "counter")
    try counter.post(#""increase""#, ["Prefer": "respond-async"])
    try counter.post(#""increase""#)
    #expect(try rows("SELECT count(*) FROM accepted") == "0\n")
    #expect(try rows("SELECT count(*) FROM outcomes") == "0\n")
  }

  @Test func `an action that a full disk interrupted continues when there is room`() throws {
    let server = try start()
    try stopwatch(server).post(#""start""#, ["Prefer": "respond-async"])
    try waitForTicks(server)
    func limitFiles(to size: String) throws {
      let limiting = try ChildProcess(
        "/usr/bin/prlimit", ["--pid", "\(server.process.id)", "--fsize=\(size):unlimited"])
      #expect(try limiting.wait() == .code(0))
    }
    try limitFiles(to: "1")
    #expect(
      eventually { server.standardError.contains("log rejected mutations") })
    try limitFiles(to: "unlimited")
    try waitForTicks(server)
    #expect(try stopwatch(server).post(#""stop""#).json["isRunning"] == false)
  }
}

import Glibc
import PostgresServers
import Testing

/// The service with a store in PostgreSQL.
@Suite(.blocking) struct DatabaseStoreTests {
  @Test func `sessions, globals and effects outlive the service`() throws {
    let counter = "/v1/reactors/counter/sessions/"
    let flags = try ReactordProcess.newDatabase() + ["--stopwatch-interval", "0.05"]
    let first = try ReactordProcess(flags, program: "adjustable")
    let one = SessionClient(first.client(), counter + "one")
    #expect(try one.post(#"["increase","increase"]"#).json == ["value": 2])
    #expect(try one.post(#"{"add":40}"#, ["Idempotency-Key": "\"k\""]).json == ["value": 42])
    let fork = try first.client().send(
      "POST", String(counter.dropLast()),
      json: #"{"id":"two","from":{"session":"one","version":2}}"#)
    #expect(fork.status == 201, "\(fork.text)")
    let stopwatch = SessionClient(first.client(), "/v1/reactors/stopwatch/sessions/run")
    #expect(try stopwatch.post(#""start""#, ["Prefer": "respond-async"]).status == 202)
    #expect(try first.stop() == .code(0))

    let second = try ReactordProcess(flags, program: "adjustable")
    let again = SessionClient(second.client(), counter + "one")
    #expect(try again.post(#"{"add":40}"#, ["Idempotency-Key": "\"k\""]).json == ["value": 42])
    #expect(try again.state("?version=1").json == ["value": 1])
    #expect(try again.log().json.array?.count == 3)
    #expect(try SessionClient(second.client(), counter + "two").state().json == ["value": 2])
    let list = try second.client().get(String(counter.dropLast())).json["sessions"]?.array ?? []
    #expect(list.map { $0["id"]?.string } == ["one", "two"])
    let running = SessionClient(second.client(), stopwatch.path)
    #expect(try eventually { try running.state().json["ticks"]?.int ?? 0 > 2 })
    #expect(try running.post(#""stop""#).json["isRunning"] == false)
    #expect(try again.delete().status == 204)
    #expect(try again.state().status == 410)
  }

  /// Increases a counter once, as soon as the database confirms it within `cluster.wait`.
  private func expectIncrease(
    of session: SessionClient, key: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let headers = ["Idempotency-Key": "\"\(key)\""]
    let isDone = try eventually { try session.post(#""increase""#, headers).status == 200 }
    #expect(isDone, sourceLocation: sourceLocation)
  }

  @Test func `while the database is away the service is not ready, and it recovers by itself`()
    throws
  {
    let database = try PostgresServer()
    let server = try ReactordProcess(
      ReactordProcess.newDatabase(at: database) + ["--cluster-wait", "1"])
    let session = server.session(of: "counter")
    try expectIncrease(of: session, key: "first")
    try database.kill()
    let response = try session.post(#""increase""#)
    try expectProblem(response, 503, "unavailable")
    #expect(response["Retry-After"] != nil)
    #expect(try eventually { try server.client().get("/readyz").status == 503 })
    try database.start()
    #expect(try eventually { try server.client().get("/readyz").status == 200 })
    try expectIncrease(of: session, key: "second")
    // The action whose response was 503 is stored if its outcome was unknown.
    let value = try session.state().json["value"]?.int
    let isUnknown = try response.json["outcome"] == "unknown"
    #expect(value == 2 || isUnknown && value == 3)
  }

  @Test func `an outcome that cannot be determined is stated, and a key resolves it`() throws {
    let database = try PostgresServer()
    let schema = PostgresServer.newSchema()
    // Long enough for a busy machine to send the commit in that time.
    let server = try ReactordProcess(
      "--store", database.url(), "--cluster-name", schema, "--cluster-wait", "15")
    let session = server.session(of: "counter")
    try expectIncrease(of: session, key: "first")
    let key = ["Idempotency-Key": "\"second\""]
    let transaction = try OpenTransaction(database)
    try transaction.execute("begin; lock table \(schema).sessions in share mode;")
    let response = try session.post(#""increase""#, key)
    #expect(try expectProblem(response, 503, "unavailable")["outcome"] == "unknown")
    try transaction.execute("commit;")
    #expect(try eventually { try session.post(#""increase""#, key).status == 200 })
    let state = try session.state()
    #expect(try state.json == ["value": 2], "\(state.text)")
  }

  @Test func `curl posts and streams`() throws {
    let server = try ReactordProcess(try ReactordProcess.newDatabase())
    let base = server.url + "/v1/reactors/counter/sessions/demo"
    let post = try ChildProcess(
      "/usr/bin/curl", ["-sS", "--json", #""increase""#, base + "/actions"])
    #expect(try post.wait() == .code(0))
    #expect(post.standardOutput == #"{"value":1}"#)
    let stream = try ChildProcess("/usr/bin/curl", ["-sSN", base + "/events?replay=all"])
    #expect(stream.output(contains: #"data: {"value":1}"#))
  }

  @Test(arguments: [
    (["--store", "postgres://u@127.0.0.1:1/db"], "127.0.0.1"),
    (["--store", "nats://127.0.0.1:4222"], "expected memory, sqlite:PATH or postgres://"),
    (["--store", "postgres://u@127.0.0.1:1/db", "--cluster-suspect", "0.5"], "from 1 to 60"),
  ])
  func `a store that cannot be opened ends the start with 78 and one line`(
    _ flags: [String], _ text: String
  ) throws {
    let process = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0", "--start-wait", "0"] + flags, program: "adjustable",
      environment: ["REACTORD_SUPERVISE": "false"])
    #expect(try process.wait() == .code(78))
    let errors = process.standardError.split(separator: "\n").filter { $0.hasPrefix("reactord: ") }
    #expect(errors.count == 1, "\(process.standardError)")
    #expect(errors.first?.contains(text) == true, "\(process.standardError)")
  }

  @Test func `a service waits for its database until the time for it has elapsed`() throws {
    let database = try PostgresServer()
    let flags = try ReactordProcess.newDatabase(at: database)
    try database.kill()
    func launch(_ wait: String) throws -> ChildProcess {
      try ReactordProcess.launch(
        ["serve", "--listen", "127.0.0.1:0"] + flags + ["--start-wait", wait],
        program: "adjustable", environment: ["REACTORD_SUPERVISE": "false"])
    }
    #expect(try launch("0").wait() == .code(78))
    let stopped = try launch("300")
    #expect(eventually { stopped.standardError.contains("waiting for the store") })
    stopped.signal(SIGTERM)
    #expect(try stopped.wait() == .code(0))
    let process = try launch("300")
    #expect(eventually { process.standardError.contains("waiting for the store") })
    try database.start()
    #expect(process.firstLine()?.contains("http://127.0.0.1:") == true, "\(process.standardError)")
    process.signal(SIGTERM)
    #expect(try process.wait() == .code(0))
  }
}

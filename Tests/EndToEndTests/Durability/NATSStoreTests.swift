import Brokers
import Foundation
import Testing

/// The service with a store at brokers.
@Suite(.blocking) struct NATSStoreTests {
  @Test(arguments: [1, 3])
  func `sessions, globals and effects outlive the service`(_ replicas: Int) throws {
    let cluster = replicas == 3 ? try BrokerCluster() : nil
    let store = try NATSStore(cluster?.url, replicas: replicas)
    let counter = "/v1/reactors/counter/sessions/"
    let flags = store.flags + ["--stopwatch-interval", "0.05"]
    let first = try ReactordProcess(flags)
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

    let second = try ReactordProcess(flags)
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
    #expect(try second.client().get("/metrics").text.contains("reactord_log_forks_total 0"))
  }

  /// Increases a counter once, as soon as the brokers confirm it within `cluster.wait`.
  private func expectIncrease(
    of session: SessionClient, key: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let headers = ["Idempotency-Key": "\"\(key)\""]
    let isDone = try eventually { try session.post(#""increase""#, headers).status == 200 }
    #expect(isDone, sourceLocation: sourceLocation)
  }

  @Test func `while the brokers are away the service is not ready, and it recovers by itself`()
    throws
  {
    let broker = try Broker()
    let server = try ReactordProcess(try NATSStore(broker.url).flags + ["--cluster-wait", "1"])
    let session = server.session(of: "counter")
    try expectIncrease(of: session, key: "first")
    broker.kill()
    #expect(try eventually { try server.client().get("/readyz").status == 503 })
    let response = try session.post(#""increase""#)
    #expect(try expectProblem(response, 503, "unavailable")["outcome"] == nil)
    #expect(response["Retry-After"] == "1")
    try broker.start()
    #expect(try eventually { try server.client().get("/readyz").status == 200 })
    try expectIncrease(of: session, key: "second")
    #expect(try session.state().json == ["value": 2])
  }

  @Test func `an outcome that cannot be determined is stated, and a key resolves it`() throws {
    let broker = try Broker()
    let server = try ReactordProcess(try NATSStore(broker.url).flags + ["--cluster-wait", "1"])
    let session = server.session(of: "counter")
    try expectIncrease(of: session, key: "first")
    // On a busy machine, the service can detect the pause before it executes the action, and then
    // rejects the action.
    var key: [String: String] = [:]
    let isUnknown = try (0..<20).contains { attempt in
      broker.pause()
      key = ["Idempotency-Key": "\"k\(attempt)\""]
      let response = try session.post(#""increase""#, key)
      broker.resume()
      if try expectProblem(response, 503, "unavailable")["outcome"] == "unknown" { return true }
      #expect(try eventually { try server.client().get("/readyz").status == 200 })
      return false
    }
    #expect(isUnknown)
    #expect(try eventually { try session.post(#""increase""#, key).status == 200 })
    #expect(try session.state().json == ["value": 2])
  }

  @Test func `curl posts and streams`() throws {
    let server = try ReactordProcess(try NATSStore().flags)
    let base = server.url + "/v1/reactors/counter/sessions/demo"
    let post = try ChildProcess(
      "/usr/bin/curl", ["-sS", "--json", #""increase""#, base + "/actions"])
    #expect(try post.wait() == .code(0))
    #expect(post.standardOutput == #"{"value":1}"#)
    let stream = try ChildProcess("/usr/bin/curl", ["-sSN", base + "/events?replay=all"])
    #expect(stream.output(contains: #"data: {"value":1}"#))
  }

  @Test(arguments: [
    (
      ["--store", "nats://127.0.0.1:1"],
      "store: the brokers at nats://127.0.0.1:1 cannot be reached"
    ),
    (
      ["--store", "nats://u:secret@127.0.0.1:1"],
      "store: the brokers at nats://***@127.0.0.1:1 cannot"
    ),
    (["--store", "tls://127.0.0.1:1"], "store: tls:// needs libnats 3.11"),
    (
      ["--store", "nats://127.0.0.1:1", "--cluster-credentials", "/nothing"],
      "cluster.credentials: /nothing: No such file or directory"
    ),
  ])
  func `a store that cannot be opened ends the start with 78 and one line`(
    _ flags: [String], _ text: String
  ) throws {
    let process = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0", "--start-wait", "0"] + flags,
      environment: ["REACTORD_SUPERVISE": "false"])
    #expect(try process.wait() == .code(78))
    let lines = process.standardError.split(separator: "\n")
    #expect(lines.last?.contains(text) == true, "\(process.standardError)")
    #expect(lines.count == 1)
  }

  @Test func `more replicas than brokers end the start with 78`() throws {
    let flags = try NATSStore(replicas: 3).flags
    let process = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0"] + flags, environment: ["REACTORD_SUPERVISE": "false"])
    #expect(try process.wait() == .code(78))
    #expect(process.standardError.contains("cluster.replicas is 3, but there are fewer brokers"))
  }
}

import Brokers
import Foundation
import Testing

/// A service whose store at brokers cannot be used: exit code 78 and one line that says why.
@Suite(.blocking) struct BrokerOpeningTests {
  /// Starts a service, and expects that it ends with one line of explanation, besides lines of the
  /// log.
  private func expectFailure(
    _ flags: [String], _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    func launch() throws -> ChildProcess {
      let process = try ReactordProcess.launch(
        ["serve", "--listen", "127.0.0.1:0"] + flags, environment: ["REACTORD_SUPERVISE": "false"])
      #expect(try process.wait() == .code(78), sourceLocation: sourceLocation)
      return process
    }
    var process = try launch()
    // Repeat the attempt: a broker that is not scheduled in time cannot be reached.
    for _ in 0..<5 where !text.contains("cannot be reached") {
      guard process.standardError.contains("cannot be reached") else { break }
      process = try launch()
    }
    let errors = process.standardError.split(separator: "\n").filter { $0.hasPrefix("reactord: ") }
    #expect(errors.count == 1, "\(process.standardError)", sourceLocation: sourceLocation)
    #expect(
      errors.first?.contains(text) == true, "\(process.standardError)",
      sourceLocation: sourceLocation)
    #expect(!process.standardError.contains("secret"), sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    "nats://", "nats://host:99999", "nats://host:0", "nats://a b", "nats://a,,b", "nats:host",
    "tls://", "http://127.0.0.1:4222", "nats://host:4222/path",
  ])
  func `an address without a broker is an error`(_ address: String) throws {
    try expectFailure(
      ["--store", address],
      "expected memory, sqlite:PATH, postgres://USER@HOST/DATABASE or nats://HOST:PORT[,...]")
  }

  @Test func `rejected credentials end the start with an error that does not show them`() throws {
    let broker = try Broker(#"authorization { user: "ada", password: "right" }"#)
    let address = "127.0.0.1:\(broker.port)"
    let rejected = "the brokers at nats://***@\(address) reject the credentials"
    try expectFailure(
      NATSStore("nats://ada:secret@\(address)").flags + ["--start-wait", "0"], rejected)
    try expectFailure(
      NATSStore("nats://secret-token@\(address)").flags + ["--start-wait", "0"], rejected)
    try expectFailure(
      NATSStore("nats://\(address)").flags,
      "the brokers at nats://\(address) reject the credentials")
    let server = try ReactordProcess(NATSStore("nats://ada:right@\(address)").flags)
    #expect(try server.session(of: "counter").post(#""increase""#).status == 200)
    #expect(!server.standardError.contains("ada:right"))
  }

  @Test(arguments: [
    ("--cluster-name", "a.b", "expected a name of 1 to 32"),
    ("--cluster-name", "", "expected a name of 1 to 32"),
    ("--cluster-node", "a/b", "expected a name of at most 64"),
    ("--cluster-replicas", "0", "expected a whole number from 1 to 5"),
    ("--cluster-streams", "0", "expected a whole number"),
    ("--cluster-suspect", "0.5", "cluster.suspect: expected at least twice cluster.heartbeat"),
  ])
  func `an invalid cluster setting ends the start with an error that states the valid values`(
    _ flag: String, _ value: String, _ text: String
  ) throws {
    try expectFailure(
      ["--store", "nats://127.0.0.1:1", flag, value, "--cluster-heartbeat", "0.5"], text)
  }

  @Test func `limits above the max_payload of the brokers end the start with an error`() throws {
    let broker = try Broker("max_payload: 1MB")
    try expectFailure(NATSStore(broker.url).flags, "max_payload of the brokers is 1048576, but")
    // Messages with smaller limits fit.
    let limits = ["--limits-body", "500000", "--limits-state", "900000"]
    #expect(try ReactordProcess(NATSStore(broker.url).flags + limits).stop() == .code(0))
  }

  @Test(arguments: ["2.8.4", "1.4.1", ""])
  func `brokers of an old version are an error`(_ version: String) throws {
    let broker = try FakeBroker(version: version)
    try expectFailure(
      NATSStore(broker.url).flags, "nats-server \(version) is too old; 2.9 or later is needed")
  }

  // A broker ends the handshake of a client that does not get to run for two seconds. libnats before 3.8
  // waits without end for a broker that stops in the handshake.
  @Test(arguments: [FakeBroker.Reply.timeout, .none])
  func `a handshake that does not succeed is repeated for the time of start.wait`(
    _ reply: FakeBroker.Reply
  ) throws {
    let broker = try FakeBroker(version: "2.10.26", reply: reply)
    func launch(startWait: String) throws -> ChildProcess {
      try ReactordProcess.launch(
        ["serve", "--listen", "127.0.0.1:0"] + NATSStore(broker.url).flags
          + ["--start-wait", startWait], environment: ["REACTORD_SUPERVISE": "false"])
    }
    let waiting = try launch(startWait: "3600")
    #expect(eventually { waiting.standardError.contains("waiting for the store") })
    waiting.signal(SIGTERM)
    #expect(try waiting.wait() == .code(0))
    let other = try launch(startWait: "0")
    #expect(try other.wait() == .code(78))
    #expect(other.standardError.contains("the brokers at \(broker.url) cannot be used"))
  }

  @Test func `streams of another store are an error`() throws {
    let store = try NATSStore()
    #expect(try ReactordProcess(store.flags).stop() == .code(0))
    try expectFailure(store.flags + ["--cluster-streams", "3"], "was created with 2")
    // The streams exist with one replica.
    try expectFailure(
      store.flags + ["--cluster-replicas", "3"], "cluster.replicas is 3, but the stream")
    #expect(try ReactordProcess(store.flags).stop() == .code(0))
  }

  @Test func `a service waits for unreachable brokers for the time of start.wait`() throws {
    let broker = try Broker()
    let flags = try NATSStore(broker.url).flags
    broker.kill()
    try expectFailure(
      flags + ["--start-wait", "1"], "the brokers at \(broker.url) cannot be reached")
    let process = try ReactordProcess.launch(
      ["serve", "--listen", "127.0.0.1:0"] + flags + ["--start-wait", "300"],
      environment: ["REACTORD_SUPERVISE": "false"])
    #expect(eventually { process.standardError.contains("waiting for the store") })
    try broker.start()
    #expect(process.firstLine()?.contains("http://127.0.0.1:") == true)
    process.signal(SIGTERM)
    #expect(try process.wait() == .code(0))
  }
}

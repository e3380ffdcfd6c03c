import Brokers
import NATSClient
import ReactorLog
import Synchronization
import Telemetry
import Testing

@testable import NATSLog

/// Each reason for which a store cannot be opened is one line.
@Suite(.serialized) struct OpeningTests {
  private func error(_ store: TestStore) async -> NATSLogError? {
    do {
      try await NATSLog.open(store.settings).close()
      return nil
    } catch {
      return error
    }
  }

  private func expectError(_ store: TestStore, _ text: String, isTemporary: Bool = false) async {
    let error = await error(store)
    #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    #expect(error?.description.contains("\n") == false)
    #expect(error?.isTemporary == isTemporary)
  }

  @Test func `brokers that are away`() async throws {
    await expectError(
      try TestStore("nats://127.0.0.1:1"), "nats://127.0.0.1:1 cannot be reached", isTemporary: true
    )
  }

  @Test func `wrong credentials are an error that does not show them`() async throws {
    let broker = try Broker(#"authorization { user: "ada", password: "secret" }"#)
    let store = try TestStore("nats://ada:wrong@127.0.0.1:\(broker.port)")
    await expectError(store, "reject the credentials")
    #expect(await error(store)?.description.contains("wrong") == false)
    try await TestStore("nats://ada:secret@127.0.0.1:\(broker.port)").open().close()
  }

  @Test func `a missing file of credentials is an error`() async throws {
    var store = try TestStore()
    store.settings.credentials = "/nothing.creds"
    #expect(await error(store) != nil)
  }

  @Test func `more replicas than brokers are an error`() async throws {
    await expectError(
      try TestStore(replicas: 3), "cluster.replicas is 3, but there are fewer brokers")
  }

  @Test func `a max_payload that is too small`() async throws {
    var store = try TestStore()
    store.settings.requiredPayload = 9_000_000
    await expectError(store, "max_payload of the brokers is 8388608")
  }

  @Test func `several nodes create a store at the same time`() async throws {
    for _ in 0..<5 {
      let store = try TestStore()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for node in 1...4 {
          var other = store
          other.settings.node = "n\(node)"
          group.addTask { [other] in try await other.open().close() }
        }
        try await group.waitForAll()
      }
    }
  }

  /// The brokers know the stream, but its leader has not created it yet: the reply to its creation
  /// is that the stream does not exist.
  @Test func `a stream that another node is creating is waited for`() async throws {
    let creations = try StreamInCreation(attempts: 3)
    try await creations.setup(wait: 60_000).prepare(creations.stream)
    #expect(creations.count >= 3)
  }

  /// A read of a stream without a store ends nats-server 2.9.10 with a panic.
  @Test func `a stream that has no store yet is waited for`() async throws {
    let creations = try StreamInCreation(attempts: 3, isAssigned: true)
    try await creations.setup(wait: 60_000).prepare(creations.stream)
    #expect(creations.count >= 3)
  }

  @Test func `a stream that does not get created is a temporary error`() async throws {
    let creations = try StreamInCreation(attempts: .max)
    let error = await #expect(throws: NATSLogError.self) {
      try await creations.setup(wait: 100).prepare(creations.stream)
    }
    #expect(error?.isTemporary == true)
  }

  @Test func `another number of streams is an error`() async throws {
    var store = try TestStore()
    try await store.open().close()
    store.settings.streams = 3
    await expectError(
      store, "cluster.streams is 3, but the store \(store.settings.name) was created with 2")
  }

  @Test func `streams of another program are an error`() async throws {
    let store = try TestStore()
    let connection = try NATSConnection(.init(store.settings.addresses, name: "other"))
    let name = store.settings.name
    let body = #"{"name":"\#(name)-META","subjects":["\#(name).other"],"num_replicas":1}"#
    try connection.publish(Array(body.utf8), to: "$JS.API.STREAM.CREATE.\(name)-META")
    try connection.flush()
    await expectError(store, "belongs to another program or store; set cluster.name")
  }

  @Test func `subjects of another program are an error`() async throws {
    let store = try TestStore()
    let connection = try NATSConnection(.init(store.settings.addresses, name: "other"))
    let name = store.settings.name
    let body = #"{"name":"\#(name)x","subjects":["\#(name).>"],"num_replicas":1}"#
    try connection.publish(Array(body.utf8), to: "$JS.API.STREAM.CREATE.\(name)x")
    try connection.flush()
    await expectError(store, "belong to another program's stream; set cluster.name")
  }

  @Test func `brokers without JetStream are rejected`() async throws {
    let broker = try Broker(hasJetStream: false)
    await expectError(try TestStore(broker.url), "is it enabled on the brokers?", isTemporary: true)
  }

  @Test func `TLS is rejected with a library that supports it on one thread only`() async throws {
    guard !NATSConnection.supportsTLS else { return }
    await expectError(try TestStore("tls://127.0.0.1:1"), "tls:// needs libnats 3.11")
  }

  @Test(arguments: ["", "a.b", "a b", "é", String(repeating: "a", count: 33)])
  func `an unusable name is rejected`(_ name: String) async throws {
    var store = try TestStore()
    store.settings.name = name
    await expectError(store, "cluster.name must be")
  }
}

/// Responds in place of JetStream: a stream is not found until it was created several times, or has no store
/// until its information was requested several times.
private final class StreamInCreation: Sendable {
  private final class Attempts: Sendable { let value = Atomic(0) }

  private let broker: Broker
  private let connection: NATSConnection
  private let subscription: NATSSubscription
  private let attempts: Attempts

  init(attempts limit: Int, isAssigned: Bool = false) throws {
    broker = try Broker(hasJetStream: false)
    let connection = try NATSConnection(
      .init(TestStore(broker.url).settings.addresses, name: "api"))
    let attempts = Attempts()
    subscription = try connection.subscribe(to: "$JS.API.STREAM.*.*") { request in
      guard let reply = request.reply else { return }
      let isCreation = request.subject.contains(".CREATE.")
      let isAttempt = isCreation != isAssigned
      let count = isAttempt ? attempts.value.add(1, ordering: .relaxed).newValue : 0
      let time = count >= limit ? "2026-01-01T00:00:00Z" : "0001-01-01T00:00:00Z"
      let config = #"{"subjects":["s"],"max_msgs_per_subject":1,"num_replicas":1}"#
      let found = #"{"created":"\#(time)","config":\#(config)}"#
      let missing = #"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#
      let text = isAssigned || count >= limit ? found : missing
      try? connection.publish(Array(text.utf8), to: reply)
    }
    try connection.flush()
    (self.connection, self.attempts) = (connection, attempts)
  }

  /// The number of attempts.
  var count: Int { attempts.value.load(ordering: .relaxed) }

  let stream = StoreSetup.Stream(name: "S", subjects: ["s"], messagesPerSubject: 1)

  /// The setup of a store, with a time to wait in milliseconds.
  func setup(wait: Int64) throws -> StoreSetup {
    let engine = try LogEngine(
      NATSConnection(.init(TestStore(broker.url).settings.addresses, name: "engine")),
      writer: Writer(name: "n1", incarnation: 1), prefix: "s", wait: wait, counters: LogCounters(),
      logger: .silent)
    return StoreSetup(
      reader: StreamReader(engine: engine), names: StoreNames(prefix: "s", logStreams: 1),
      replicas: 1, hasFeed: false, wait: wait)
  }
}

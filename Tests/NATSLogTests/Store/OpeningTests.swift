import Brokers
import NATSClient
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

  @Test func `other credentials, which are not shown`() async throws {
    let broker = try Broker(#"authorization { user: "ada", password: "secret" }"#)
    let store = try TestStore("nats://ada:wrong@127.0.0.1:\(broker.port)")
    await expectError(store, "reject the credentials")
    #expect(await error(store)?.description.contains("wrong") == false)
    #expect(await error(try TestStore("nats://ada:secret@127.0.0.1:\(broker.port)")) == nil)
  }

  @Test func `a file of credentials that does not exist`() async throws {
    var store = try TestStore()
    store.settings.credentials = "/nothing.creds"
    #expect(await error(store) != nil)
  }

  @Test func `more replicas than brokers`() async throws {
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
      let errors = await withTaskGroup(of: NATSLogError?.self) { group in
        for node in 1...4 {
          var other = store
          other.settings.node = "n\(node)"
          group.addTask { [other] in await error(other) }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(errors == [nil, nil, nil, nil])
    }
  }

  @Test func `another number of streams is an error`() async throws {
    var store = try TestStore()
    #expect(await error(store) == nil)
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

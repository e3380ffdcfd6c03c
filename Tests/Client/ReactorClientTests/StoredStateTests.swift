import ClientCore
import Foundation
import ReactorCoding
import Reactors
import Testing

@testable import ReactorClient

/// The last States of an earlier process.
@Suite(.timeLimit(.minutes(60))) final class StoredStateTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "reactord-\(UUID().uuidString)")

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func server(_ transport: ScriptedTransport, sessions: Int = 100) -> ReactorServer {
    var configuration = ClientConfiguration()
    configuration.checksTypes = false
    configuration.storedStates = folder
    configuration.storedSessions = sessions
    configuration.offlineQueue = folder.appending(path: "queue")
    return ReactorServer(transport: transport, configuration: configuration)
  }

  private var files: [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
    return all.filter { $0.hasSuffix(".state") }
  }

  /// Leaves the State of a session, as a process that ends.
  private func leave(_ session: String, _ value: Int, sessions: Int = 100) async throws {
    let transport = ScriptedTransport()
    let server = server(transport, sessions: sessions)
    let counter = server.reactor(CounterReactor.self, "counter", session: session)
    var states = counter.state.map(\.number).values.makeAsyncIterator()
    var requests = transport.requests.makeAsyncIterator()
    _ = await requests.next()
    transport.sendState("counter/\(session)", #"{"value":\#(value)}"#, "k-\(value)")
    while let number = try await states.next(), number != value {}
    server.close()
    server.client.states?.flush()
    server.client.states?.finish()
  }

  @Test func `the State of an earlier process is shown until one of the server arrives`()
    async throws
  {
    try await leave("a", 7)
    let transport = ScriptedTransport()
    let server = server(transport)
    let counter = server.reactor(CounterReactor.self, "counter", session: "a")
    var values = counter.state.map(\.number).values.makeAsyncIterator()
    #expect(try await values.next() == 7)
    #expect(counter.currentState.number == 7)
    #expect(counter.cursor == nil)
    var requests = transport.requests.makeAsyncIterator()
    // The stream begins with the whole State: the server may write it in another way now.
    #expect(await requests.next()?.fields.contains { $0.name == "Last-Event-ID" } == false)
    // A server that was restored has an older State.
    transport.sendState("counter/a", #"{"value":3}"#, "k-3")
    #expect(try await values.next() == 3)
    #expect(counter.cursor?.description == "k-3")
  }

  @Test func `a State of another type, and that of another session, is not shown`() async throws {
    try await leave("a", 7)
    let file = folder.appending(path: try #require(files.first))
    try Data("counter/a\n{\"value\":\"seven\"}".utf8).write(to: file)
    for session in ["a", "b"] {
      let transport = ScriptedTransport()
      let server = server(transport)
      let counter = server.reactor(CounterReactor.self, "counter", session: session)
      var values = counter.state.map(\.number).values.makeAsyncIterator()
      var requests = transport.requests.makeAsyncIterator()
      _ = await requests.next()
      transport.sendState("counter/\(session)", #"{"value":1}"#, "k-1")
      #expect(try await values.next() == 1)
      server.eraseStoredData()
    }
  }

  @Test func `the end of a session removes its State, and a sign-out all States and actions`()
    async throws
  {
    try await leave("a", 1)
    try await leave("b", 2)
    #expect(files.count == 2)
    let transport = ScriptedTransport()
    let server = server(transport)
    let counter = server.reactor(CounterReactor.self, "counter", session: "a")
    _ = counter.state
    var requests = transport.requests.makeAsyncIterator()
    _ = await requests.next()
    let end = "event: end\ndata: {\"session\":\"counter/a\",\"data\":{}}\n\n"
    transport.emit(.bytes(Array(end.utf8)))
    server.client.queue.sync {}
    server.client.states?.flush()
    server.client.states?.finish()
    #expect(files.count == 1)
    counter.action.onNext(.add(1))
    #expect(FileManager.default.fileExists(atPath: folder.appending(path: "queue").path()))
    server.eraseStoredData()
    #expect(files.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "queue").path()))
  }

  @Test func `the number of States is bounded, and large ones are not stored`() async throws {
    for number in 1...5 { try await leave("s\(number)", number, sessions: 3) }
    #expect(files.count == 3)
    let store = StateStore(folder, bound: 3)
    let json = JSONValue.string(String(repeating: "a", count: StateStore.sizeLimit))
    store.save("counter/s5", SessionState(.value(json), try #require(SessionCursor("k-1"))))
    store.flush()
    store.finish()
    #expect(files.count == 2)
  }

  @Test func `a network that returns replaces the streams, unless the client is paused`()
    async throws
  {
    let transport = ScriptedTransport()
    let server = server(transport)
    let counter = server.reactor(CounterReactor.self, "counter", session: "a")
    var values = counter.state.map(\.number).values.makeAsyncIterator()
    var requests = transport.requests.makeAsyncIterator()
    _ = await requests.next()
    transport.sendState("counter/a", #"{"value":1}"#, "k-1")
    #expect(try await values.next() == 1)
    server.client.reconnect()
    let next = await requests.next()
    #expect(next?.fields.contains { $0.name == "Last-Event-ID" } == true)
    server.pause()
    server.client.reconnect()
    server.client.queue.sync {}
    server.resume()
    _ = await requests.next()
    transport.sendState("counter/a", #"{"value":2}"#, "k-2")
    #expect(try await values.next() == 2)
  }
}

import ClientCore
import ReactorCore
import Reactors
import Testing

@testable import ReactorClient

/// The channel of a session, which several reactors and actions use.
@Suite(.timeLimit(.minutes(60))) struct SessionChannelTests {
  private let transport = ScriptedTransport()
  private let server: ReactorServer

  init() {
    var configuration = ClientConfiguration()
    configuration.checksTypes = false
    server = ReactorServer(transport: transport, configuration: configuration)
  }

  private func counter() -> RemoteReactor<CounterReactor> {
    server.reactor(CounterReactor.self, "counter", session: "a")
  }

  /// Waits for a status that fulfils a condition.
  private func wait(
    for reactor: RemoteReactor<CounterReactor>, until isExpected: (ConnectionStatus) -> Bool
  ) async throws {
    var statuses = reactor.connection.values.makeAsyncIterator()
    while let status = try await statuses.next(), !isExpected(status) {}
  }

  private func isReconnecting(_ status: ConnectionStatus) -> Bool {
    if case .reconnecting = status { true } else { false }
  }

  private func isEnded(_ status: ConnectionStatus) -> Bool {
    if case .ended = status { true } else { false }
  }

  @Test func `a further reactor receives the status before the first State and after the end`()
    async throws
  {
    var requests = transport.requests.makeAsyncIterator()
    let first = counter()
    _ = first.state
    _ = await requests.next()
    transport.emit(.end(Problem(.unreachable, "No network", "")))
    try await wait(for: first, until: isReconnecting)
    let second = counter()
    try await wait(for: second, until: isReconnecting)
    _ = await requests.next()
    let end = "event: end\ndata: {\"session\":\"counter/a\",\"data\":{}}\n\n"
    transport.emit(.bytes(Array(end.utf8)))
    try await wait(for: first, until: isEnded)
    let third = counter()
    try await wait(for: third, until: isEnded)
    withExtendedLifetime((first, second, third)) {}
  }

  @Test func `the status is connecting from a new beginning until the State arrives`()
    async throws
  {
    var requests = transport.requests.makeAsyncIterator()
    let counter = counter()
    _ = counter.state
    _ = await requests.next()
    let end = "event: end\ndata: {\"session\":\"counter/a\",\"data\":{}}\n\n"
    transport.emit(.bytes(Array(end.utf8)))
    try await wait(for: counter, until: isEnded)
    var statuses = counter.connection.values.makeAsyncIterator()
    #expect(try await statuses.next().map(isEnded) == true)
    let beginning = Task { try await counter.begin() }
    while let request = await requests.next(), request.method != "PUT" {}
    transport.respond(200, #"{"value":0}"#)
    _ = try await beginning.value
    _ = await requests.next()
    transport.sendState("counter/a", #"{"value":0}"#, "k-1")
    #expect(try await statuses.next() == .connecting)
  }

  @Test func `a reactor that replaces the last one at once receives the State`() async throws {
    var requests = transport.requests.makeAsyncIterator()
    var first = Optional(counter())
    _ = first?.state
    _ = await requests.next()
    transport.sendState("counter/a", #"{"value":1}"#, "k-1")
    try await wait(for: try #require(first)) { $0 == .live }
    let second = counter()
    server.client.queue.sync {
      first = nil
      _ = second.state
    }
    try await wait(for: second) { $0 == .live }
    var states = second.state.values.makeAsyncIterator()
    #expect(try await states.next() != nil)
  }

  @Test func `the channel of an action that was cancelled or timed out is discarded`()
    async throws
  {
    var requests = transport.requests.makeAsyncIterator()
    let counter = counter()
    let task = Task { try await counter.send(.increase) }
    _ = await requests.next()
    task.cancel()
    await #expect(throws: Problem.self) { try await task.value }
    while server.client.channel("counter/a") != nil { await Task.yield() }
    await #expect(throws: Problem.self) { try await counter.send(.increase, timeout: .zero) }
    while server.client.channel("counter/a") != nil { await Task.yield() }
  }

  @Test func `a closed client is released, also after a later action`() async {
    weak let client = clientWithActionAfterClose()
    while client != nil { await Task.yield() }
  }

  @Test func `the status of a reactor of a closed client is paused`() async throws {
    server.close()
    let counter = counter()
    try await wait(for: counter) { $0 == .paused }
  }

  private func clientWithActionAfterClose() -> ClientLink {
    let server = ReactorServer(transport: ScriptedTransport())
    let counter = server.reactor(CounterReactor.self, "counter", session: "a")
    server.close()
    server.client.queue.sync {}
    counter.action.onNext(.increase)
    return server.client
  }
}

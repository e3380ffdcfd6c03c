import ClientCore
import Dispatch
import Foundation
import ReactorClient
import ReactorCore
import Reactors
import Testing

/// The file of the actions without a final response.
@Suite(.timeLimit(.minutes(60))) struct OfflineQueueTests {
  /// A folder that is deleted with the object.
  private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "reactord-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
      try? FileManager.default.removeItem(at: url)
    }
  }

  private let folder: Folder
  private let file: URL

  init() throws {
    folder = try Folder()
    file = folder.url.appending(path: "actions")
  }

  private func server(_ transport: ScriptedTransport, queuedActions: Int = 10) -> ReactorServer {
    var configuration = ClientConfiguration()
    configuration.checksTypes = false
    configuration.offlineQueue = file
    configuration.queuedActions = queuedActions
    return ReactorServer(transport: transport, configuration: configuration)
  }

  /// Adds actions to the file that have no response.
  private func leaveActions(_ amounts: ClosedRange<Int>) {
    let server = server(ScriptedTransport())
    let counter = server.reactor(CounterReactor.self, "counter", session: "a")
    for amount in amounts { counter.action.onNext(.add(amount)) }
    server.close()
  }

  /// The JSON of an action's request.
  private func action(_ request: TransportRequest?) -> String? {
    request?.body.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `all actions of an earlier process are sent, also beyond the bound`() async throws {
    leaveActions(1...3)
    let transport = ScriptedTransport()
    let server = server(transport, queuedActions: 2)
    var requests = transport.requests.makeAsyncIterator()
    for amount in 1...3 {
      #expect(action(await requests.next()) == #"{"add":\#(amount)}"#)
      transport.respond(204, cursor: "k-\(amount)")
    }
    withExtendedLifetime(server) {}
  }

  /// Sends an action as code that does not depend on the type of the reactor.
  private func send<Target: Reactor>(_ action: Target.Action, to reactor: Target) {
    reactor.action.onNext(action)
  }

  @Test func `an action is in the file after its sending, while an observer of the State blocks`()
    async throws
  {
    let transport = ScriptedTransport()
    let server = server(transport)
    let counter = server.reactor(
      CounterReactor.self, "counter", session: "a", prediction: .local { CounterReactor() })
    let contents = AsyncStream<String?>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    let subscription = counter.state.take(1).subscribe(onNext: { [weak counter, file] _ in
      counter?.action.onNext(.add(7))
      contents.continuation.yield(try? String(contentsOf: file, encoding: .utf8))
      gate.wait()
    })
    var requests = transport.requests.makeAsyncIterator()
    _ = await requests.next()
    transport.sendState("counter/a", #"{"value":1}"#, "k-1")
    var stored = contents.stream.makeAsyncIterator()
    let first = await stored.next()
    #expect(first??.contains(#"{\"add\":7}"#) == true)
    send(.add(8), to: counter)
    let second = try String(contentsOf: file, encoding: .utf8)
    #expect(second.contains(#"{\"add\":8}"#))
    gate.signal()
    for amount in 7...8 {
      #expect(action(await requests.next()) == #"{"add":\#(amount)}"#)
      transport.respond(204, cursor: "k-\(amount)")
    }
    subscription.dispose()
    withExtendedLifetime(counter) {}
  }

  @Test func `a file that exists but cannot be read is reported, retained and read later`()
    async throws
  {
    leaveActions(1...2)
    let stored = try Data(contentsOf: file)
    // A symbolic link to itself cannot be read by any user.
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createSymbolicLink(atPath: file.path(), withDestinationPath: "actions")
    let transport = ScriptedTransport()
    let server = server(transport)
    try #require(
      try FileManager.default.destinationOfSymbolicLink(atPath: file.path()) == "actions")
    var problems = server.problems.values.makeAsyncIterator()
    #expect(try await problems.next()?.kind == .unreadableQueue)

    var requests = transport.requests.makeAsyncIterator()
    let counter = server.reactor(CounterReactor.self, "counter", session: "a")
    let tasks = [3, 4].map { amount in Task { try await counter.send(.add(amount)) } }
    _ = await requests.next()
    try FileManager.default.removeItem(at: file)
    try stored.write(to: file)
    server.resume()
    transport.respond(200, #"{"value":3}"#, cursor: "k-1")
    // The actions of the earlier process precede the second one, which was not sent yet.
    for amount in 1...2 {
      #expect(action(await requests.next()) == #"{"add":\#(amount)}"#)
      transport.respond(204, cursor: "k-1")
    }
    _ = await requests.next()
    transport.respond(200, #"{"value":3}"#, cursor: "k-1")
    for task in tasks { _ = try await task.value }
    #expect(try Data(contentsOf: file).isEmpty)
  }

  @Test func `the file is bounded beside an action that is stuck, and complete at each moment`()
    async throws
  {
    let transport = ScriptedTransport()
    let server = server(transport)
    let (stuck, counter) = (
      server.reactor(CounterReactor.self, "counter", session: "stuck"),
      server.reactor(CounterReactor.self, "counter", session: "a")
    )
    var requests = transport.requests.makeAsyncIterator()
    stuck.action.onNext(.add(999))
    _ = await requests.next()
    let completion = transport.hold()
    for amount in 1...3000 {
      counter.action.onNext(.add(amount))
      _ = await requests.next()
      // A process that is killed now leaves this file.
      if amount % 10 == 0 {
        let contents = try Data(contentsOf: file)
        #expect(contents.count < 70_000)
        let lines = contents.split(separator: UInt8(ascii: "\n")).map {
          String(decoding: $0, as: UTF8.self)
        }
        #expect(lines.contains { $0.contains(#""stuck""#) || $0.contains("/stuck") })
        #expect(lines.contains { $0.contains(#"{\"add\":\#(amount)}"#) })
      }
      transport.respond(204, cursor: "k-\(amount)")
    }
    server.close()
    let next = ScriptedTransport()
    let restarted = self.server(next)
    var again = next.requests.makeAsyncIterator()
    #expect(action(await again.next()) == #"{"add":999}"#)
    withExtendedLifetime((restarted, completion)) {}
  }
}

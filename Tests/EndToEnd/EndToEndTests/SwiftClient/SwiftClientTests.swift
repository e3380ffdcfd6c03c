import Foundation
import ReactorClient
import ReactorCoding
import Testing

/// The Swift client against the service over sockets.
@Suite(.blocking) struct SwiftClientTests {
  private let server: ReactordProcess
  private let client: ReactorServer

  init() throws {
    server = try ReactordProcess.shared.get()
    client = try server.swiftClient()
  }

  private func newCounter() -> RemoteReactor<RemoteCounter> {
    client.reactor(RemoteCounter.self, "counter", session: newSessionID())
  }

  @Test func `an action is sent and its State arrives`() async throws {
    let counter = newCounter()
    let states = Recorder(counter.state)
    let connection = Recorder(counter.connection)
    try connection.last { $0 == .live }
    #expect(try await counter.send(.add(2)) == .init(value: 2))
    counter.action.onNext(.increase)
    try states.last { $0.value == 3 }
    #expect(counter.currentState == .init(value: 3))
    #expect(counter.cursor?.version == 2)
    #expect(states.all.first == .init(value: 0))
  }

  @Test func `the program of the guide sends an action and prints States`() throws {
    let server = try ReactordProcess("--store", "memory")
    let program = try ReactordProcess.path(of: "counter-client")
    // The standard output is a pipe, which the program does not flush after each line without
    // stdbuf.
    let process = try ChildProcess("/usr/bin/stdbuf", ["-oL", program, server.url])
    #expect(process.output(contains: "sent: 2\nnow: 2\n"))
    _ = try server.client().send(
      "POST", "/v1/reactors/counter/sessions/demo/actions", json: "\"increase\"")
    #expect(process.output(contains: "now: 3\n"))
  }

  @Test func `the transport of URLSession sends actions and receives States`() async throws {
    let transport = URLSessionTransport(url: try #require(URL(string: server.url)))
    let client = ReactorServer(transport: transport)
    let counter = client.reactor(RemoteCounter.self, "counter", session: newSessionID())
    let states = Recorder(counter.state)
    #expect(try await counter.send(.add(2)) == .init(value: 2))
    try states.last { $0.value == 2 }
  }

  @Test func `actions are executed in order`() async throws {
    let chat = client.reactor(RemoteChat.self, "chat", session: newSessionID())
    let states = Recorder(chat.state)
    chat.action.onNext(.join("Ada"))
    for number in 0..<50 { chat.action.onNext(.send(from: "Ada", text: "\(number)")) }
    let state = try states.last { $0.messages.count == 50 }
    #expect(state.messages.map(\.text) == (0..<50).map { "\($0)" })
  }

  @Test func `a rejection is thrown, or emitted for an action without a caller`() async throws {
    let chat = client.reactor(RemoteChat.self, "chat", session: newSessionID())
    let problems = Recorder(chat.problems)
    let problem = await #expect(throws: Problem.self) {
      try await chat.send(.send(from: "Ada", text: "x"))
    }
    #expect(problem?.kind == .effectFailed)
    #expect(problem?.title == "Only members can send")
    chat.action.onNext(.send(from: "Ada", text: "x"))
    try problems.first { $0.kind == .effectFailed }
  }

  @Test func `effects are awaited on request`() async throws {
    let weather = client.reactor(RemoteWeather.self, "weather", session: newSessionID())
    // The effect can end before the response is written.
    _ = try await weather.send(.search("Seoul"))
    #expect(try await weather.send(.search("Oslo"), expecting: .effects).isSearching == false)
  }

  @Test func `an action with a condition is rejected at another cursor`() async throws {
    let counter = newCounter()
    let connection = Recorder(counter.connection)
    try connection.last { $0 == .live }
    let states = Recorder(counter.state)
    try states.last { _ in counter.cursor != nil }
    let cursor = try #require(counter.cursor)
    try await counter.send(.increase, at: cursor)
    let problem = await #expect(throws: Problem.self) {
      try await counter.send(.increase, at: cursor)
    }
    #expect(problem?.kind == .versionMismatch)
    #expect(problem?.cursor?.version == 1)
  }

  @Test func `history: earlier States, the log, a fork, the end and a new beginning`() async throws
  {
    let counter = newCounter()
    let connection = Recorder(counter.connection)
    try connection.last { $0 == .live }
    for amount in 1...4 { try await counter.send(.add(amount)) }
    #expect(try await counter.state(at: 2) == .init(value: 3))
    let log = try await counter.log(after: 1, limit: 2)
    #expect(log.map(\.version) == [2, 3])
    #expect(log.first?.action?.bytes == Array(#"{"add":2}"#.utf8))
    let fork = try await counter.fork(at: 2)
    #expect(try await fork.send(.increase) == .init(value: 4))
    #expect(try await counter.effects().isEmpty)
    try await counter.end()
    try connection.last {
      if case .ended(let problem) = $0 { problem.kind == .sessionEnded } else { false }
    }
    #expect(try await counter.begin() == .init(value: 0))
    try connection.last { $0 == .live }
    #expect(eventually { counter.cursor?.version == 0 })
  }

  @Test func `running effects are observed, listed and cancelled`() async throws {
    let stopwatch = client.reactor(RemoteStopwatch.self, "stopwatch", session: newSessionID())
    let activity = Recorder(stopwatch.activity)
    stopwatch.action.onNext(.start)
    try activity.last { $0.running == 1 }
    let effects = try await stopwatch.effects()
    #expect(effects.count == 1)
    try await stopwatch.cancel(try #require(effects.first))
    try activity.last { $0 == .idle }
    #expect(try await stopwatch.effects().isEmpty)
  }

  @Test func `globals are read and set`() async throws {
    struct User: Codable, Equatable { var name: String }
    let own = try ReactordProcess()
    let client = try own.swiftClient()
    #expect(try await client.global("currentUser", as: User?.self) == nil)
    try await client.setGlobal("currentUser", to: User(name: "Ada"))
    #expect(try await client.global("currentUser", as: User?.self) == User(name: "Ada"))
    #expect(try await client.reactorNames().contains("counter"))
  }

  @Test func `the values of a global arrive, also after a kill, and its absence ends the stream`()
    async throws
  {
    struct User: Codable, Equatable { var name: String }
    let folder = try TemporaryFolder()
    let store = "sqlite:\(folder["log.db"])"
    let port = try ReservedPort()
    let first = try ReactordProcess("--listen", port.address, "--store", store)
    let client = try first.swiftClient()
    let users = Recorder(client.globalValues("currentUser", as: User?.self))
    try users.first { $0 == nil }
    try await client.setGlobal("currentUser", to: User(name: "Ada"))
    try users.last { $0 == User(name: "Ada") }
    let failure = Watched<(any Error)?>(nil)
    let subscription = client.globalValues("nothing", as: User?.self)
      .subscribe(onError: { error in failure.change { $0 = error } })
    let problem = failure.first(within: Connection.timeout) { $0 } as? Problem
    #expect(problem?.status == 404)
    subscription.dispose()

    first.process.kill()
    try first.process.wait()
    let second = try ReactordProcess("--listen", port.address, "--store", store)
    try await second.swiftClient().setGlobal("currentUser", to: User(name: "Grace"))
    client.resume()
    try users.last { $0 == User(name: "Grace") }
  }

  @Test func `a session is created with parameters, once`() async throws {
    struct Parameters: Codable, Equatable { var item: String, endsAt: String }
    let lamp = Parameters(item: "A lamp", endsAt: "2096-10-02T07:06:40.000Z")
    let auction = client.reactor(RemoteAuction.self, "auction", session: newSessionID())
    let missing = await #expect(throws: Problem.self) { try await auction.begin() }
    #expect(missing?.kind.rawValue == "parameters-required")
    #expect(try await auction.begin(with: lamp).item == "A lamp")
    #expect(try await auction.begin(with: lamp).item == "A lamp")
    #expect(try await auction.parameters(as: Parameters.self) == lamp)
    let other = await #expect(throws: Problem.self) {
      try await auction.begin(with: Parameters(item: "A chair", endsAt: "2096-10-02T07:06:41.000Z"))
    }
    #expect(other?.kind.rawValue == "session-exists")
    let wrong = await #expect(throws: Problem.self) {
      try await client.newSession(of: RemoteAuction.self, "auction", with: ["item": 1])
    }
    #expect(wrong?.pointer == "/parameters/item")
    let chosen = try await client.newSession(of: RemoteAuction.self, "auction", with: lamp)
    #expect(try await chosen.state().item == "A lamp")
    let chair = try await chosen.fork(with: Parameters(item: "A chair", endsAt: lamp.endsAt))
    #expect(try await chair.state().item == "A chair")
    #expect(try await client.newSession(of: RemoteCounter.self, "counter").state().value == 0)
  }

  @Test func `the subscribers of a session are observed by name`() async throws {
    func client(_ name: String) throws -> ReactorServer {
      var configuration = ClientConfiguration()
      configuration.name = name
      return try server.swiftClient(configuration)
    }
    let session = newSessionID()
    let (ada, grace) = (try client("ada"), try client("grace & co"))
    let first = ada.reactor(RemoteCounter.self, "counter", session: session)
    let presence = Recorder(first.presence)
    try presence.last { $0.subscribers.map(\.name) == ["ada"] }
    let second = grace.reactor(RemoteCounter.self, "counter", session: session)
    let states = Recorder(second.state)
    try presence.last { $0.subscribers.map(\.name) == ["ada", "grace & co"] }
    #expect(try await second.subscribers().count == 2)
    try states.first { _ in true }
    grace.close()
    try presence.last { $0.subscribers.map(\.name) == ["ada"] && $0.count == 1 }
  }

  @Test func `signals reach the subscribers in the order of their sender`() async throws {
    struct Typing: Codable, Equatable { var letters: Int }
    let session = newSessionID()
    let sender = client.reactor(RemoteCounter.self, "counter", session: session)
    let receiver = try server.swiftClient().reactor(
      RemoteCounter.self, "counter", session: session)
    let signals = Recorder(receiver.signals(of: Typing.self))
    // Wait for the presence: it arrives over the same stream as the signals, so the stream is open.
    let presence = Recorder(receiver.presence)
    try presence.first { _ in true }
    try await sender.signal("of another type")
    for letters in 1...3 { try await sender.signal(Typing(letters: letters)) }
    try signals.last { $0.value.letters == 3 }
    #expect(signals.all.map(\.value.letters) == [1, 2, 3])
    #expect(signals.all.map(\.sender) == [nil, nil, nil])
  }

  @Test func `types that differ are reported, and the stream continues`() async throws {
    let session = newSessionID()
    let wrong = client.reactor(WrongCounter.self, "counter", session: session)
    let problems = Recorder(wrong.problems)
    let states = Recorder(wrong.state)
    let problem = try problems.first { $0.kind == .incompatibleTypes }
    #expect(problem.detail?.contains("State/value") == true)
    #expect(try problems.first { $0.kind == .undecodable }.pointer == "/value")
    let right = client.reactor(RemoteCounter.self, "counter", session: session)
    let rightStates = Recorder(right.state)
    right.action.onNext(.increase)
    try rightStates.last { $0.value == 1 }
    #expect(states.all.isEmpty)
  }

  @Test func `a pause closes the stream, and a return resumes it`() async throws {
    let counter = newCounter()
    let states = Recorder(counter.state)
    let connection = Recorder(counter.connection)
    try connection.last { $0 == .live }
    client.pause()
    try connection.last { $0 == .paused }
    try await counter.send(.add(7))
    client.resume()
    try connection.last { $0 == .live }
    try states.last { $0.value == 7 }
  }
}

/// A State that is not the counter's.
private enum WrongCounter: ReactorInterface {
  typealias Action = RemoteCounter.Action
  struct State: Codable, Sendable { var value: String }
}

private enum RemoteAuction: ReactorInterface {
  enum Action: Codable, Sendable { case open }
  struct State: Codable, Sendable { var item: String }
}

private enum RemoteChat: ReactorInterface {
  enum Action: Codable, Sendable {
    case join(String)
    case send(from: String, text: String)
  }

  struct State: Codable, Sendable {
    struct Message: Codable, Sendable { var from, text, at: String }
    var messages: [Message]
  }
}

private enum RemoteStopwatch: ReactorInterface {
  enum Action: Codable, Sendable { case start }
  struct State: Codable, Sendable { var isRunning: Bool }
}

private enum RemoteWeather: ReactorInterface {
  enum Action: Codable, Sendable { case search(String) }
  struct State: Codable, Sendable { var isSearching: Bool }
}

import ClientCore
import Dispatch
import ReactorClient
import ReactorCore
import ReactorHost
import ReactorTestingHost
import Reactors
import Testing

/// Reactors on a host in the same process.
@Suite(.timeLimit(.minutes(60))) struct InProcessTests {
  private let server = ReactorServer.hosting(Catalogue().reactors)

  @Test func `actions are executed and States arrive as from a daemon`() async throws {
    let counter = server.reactor(Counter.self, "counter", session: "a")
    var values = counter.state.map(\.value).values.makeAsyncIterator()
    #expect(try await values.next() == 0)
    #expect(try await counter.send(.add(2)).value == 2)
    counter.action.onNext(.add(3))
    while let value = try await values.next(), value != 5 {}
    #expect(counter.currentState.value == 5)
    #expect(try await counter.state(at: 1).value == 2)
  }

  @Test func `the end of a session is an ended connection`() async throws {
    let counter = server.reactor(Counter.self, "counter", session: "b")
    var statuses = counter.connection.values.makeAsyncIterator()
    let subscription = counter.state.subscribe()
    while let status = try await statuses.next(), status != .live {}
    try await counter.end()
    while let status = try await statuses.next() {
      if case .ended(let problem) = status {
        #expect(problem.kind == .sessionEnded)
        break
      }
    }
    subscription.dispose()
  }

  @Test func `effects are observed with their progress, and cancelled`() async throws {
    let registration = ReactorRegistration("import", summary: "Imports") { ImportReactor() }
    let server = ReactorServer.hosting([registration])
    let reactor = server.reactor(ImportReactor.self, "import", session: "a")
    var activities = reactor.activity.values.makeAsyncIterator()
    reactor.action.onNext(.begin)
    while let activity = try await activities.next(), activity.progress != 0.5 {}
    let effects = try await reactor.effects()
    #expect(effects.map(\.progress) == [0.5])
    try await reactor.cancel(try #require(effects.first))
    while let activity = try await activities.next(), activity != .idle {}
    #expect(try await reactor.effects().isEmpty)
  }

  @Test func `observers are called on the queue of the configuration`() async throws {
    let queue = DispatchQueue(label: "observers")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    var configuration = ClientConfiguration()
    configuration.deliveryQueue = queue
    let server = ReactorServer.hosting(Catalogue().reactors, configuration: configuration)
    let counter = server.reactor(WrongCounter.self, "counter", session: "a")
    let right = server.reactor(Counter.self, "counter", session: "a")
    let calls = AsyncStream<(String, Bool?)>.makeStream()
    let note: @Sendable (String) -> Void = { name in
      calls.continuation.yield((name, DispatchQueue.getSpecific(key: key)))
    }
    let bag = DisposeBag()
    right.state.subscribe(onNext: { _ in note("state") }).disposed(by: bag)
    right.connection.subscribe(onNext: { _ in note("connection") }).disposed(by: bag)
    right.activity.subscribe(onNext: { _ in note("activity") }).disposed(by: bag)
    counter.problems.subscribe(onNext: { _ in note("problem") }).disposed(by: bag)
    server.problems.subscribe(onNext: { _ in note("any problem") }).disposed(by: bag)
    _ = counter.state
    var missing: Set = ["state", "connection", "activity", "problem", "any problem"]
    for await (name, isOnQueue) in calls.stream {
      #expect(isOnQueue == true, "\(name)")
      missing.remove(name)
      if missing.isEmpty { break }
    }
  }

  @Test func `the response to a request for a stream is complete when the stream has ended`()
    async throws
  {
    let transport = InProcessTransport(host: Host(Catalogue().reactors))
    let server = ReactorServer(transport: transport)
    let counter = server.reactor(Counter.self, "counter", session: "d")
    try await counter.send(.add(2))
    async let result = withCheckedContinuation { continuation in
      transport.send(TransportRequest("GET", "v1/reactors/counter/sessions/d/events")) {
        continuation.resume(returning: $0)
      }
    }
    while try await counter.subscribers().count == 0 { await Task.yield() }
    try await counter.end()
    let body = String(decoding: try await result.get().body, as: UTF8.self)
    #expect(body.contains(#"{"value":2}"#))
    #expect(body.contains("event: end"))
  }

  @Test func `the model of a view shows States and problems`() async throws {
    let counter = server.reactor(Counter.self, "counter", session: "c")
    let model = await ObservedReactor(counter)
    await model.send(.add(4))
    while await model.state.value != 4 { await Task.yield() }
    #expect(await model.isLoaded)
    #expect(await model.problem == nil)
  }
}

/// A State that is not the counter's.
private enum WrongCounter: ReactorInterface {
  typealias Action = Counter.Action
  struct State: Codable { var value: String }
}

/// A reactor whose effect reports a progress of one half until it is cancelled.
private final class ImportReactor: Reactor {
  enum Action: Codable { case begin }
  enum Mutation: Codable { case end }
  struct State: Codable, Sendable { var hasEnded = false }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    .run { send in
      EffectProgress.report(0.5)
      try await Task.sleep(for: .seconds(86_400))
      send(.end)
    }
  }

  func reduce(state: State, mutation: Mutation) -> State { State(hasEnded: true) }
}

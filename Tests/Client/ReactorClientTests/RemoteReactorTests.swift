import Foundation
import ReactorClient
import Reactors
import Synchronization
import Testing

private enum Notes: ReactorInterface {
  enum Action: Codable, Equatable { case write(String) }
  struct State: Codable, Equatable, Sendable {
    var texts: [String] = []
    @Pulse var alert: String?
  }
}

private final class Texts: Sendable {
  let all = Mutex<[[String]]>([])
}

/// A view whose reactor is hosted.
private final class NotesView: View {
  var disposeBag = DisposeBag()
  let shown = Texts()

  func bind(reactor: RemoteReactor<Notes>) {
    reactor.state.map(\.texts)
      .subscribe(onNext: { [shown] texts in shown.all.withLock { $0.append(texts) } })
      .disposed(by: disposeBag)
    reactor.action.onNext(.write("hello"))
  }
}

@Suite(.timeLimit(.minutes(60))) struct RemoteReactorTests {
  private let transport = ScriptedTransport()
  private let server: ReactorServer

  init() {
    var configuration = ClientConfiguration()
    configuration.checksTypes = false
    server = ReactorServer(transport: transport, configuration: configuration)
  }

  /// A live session of the counter with the value 1.
  private func liveCounter(
    prediction: Prediction<CounterReactor.Action, CounterReactor.State>? = nil
  ) async throws -> (
    reactor: RemoteReactor<CounterReactor>, values: AsyncStream<Int>.Iterator,
    requests: AsyncStream<TransportRequest>.Iterator
  ) {
    let counter = server.reactor(
      CounterReactor.self, "counter", session: "a", prediction: prediction)
    let stream = AsyncStream<Int>.makeStream()
    let subscription = counter.state.subscribe(onNext: {
      stream.continuation.yield($0.number)
    })
    stream.continuation.onTermination = { _ in subscription.dispose() }
    var requests = transport.requests.makeAsyncIterator()
    let opening = await requests.next()
    #expect(opening?.path.hasPrefix("v1/events?") == true)
    transport.sendState("counter/a", #"{"value":1}"#, "k-1")
    var values = stream.stream.makeAsyncIterator()
    #expect(await values.next() == 1)
    return (counter, values, requests)
  }

  @Test func `a stub replaces the connection`() {
    let reactor = server.reactor(Notes.self, "notes", session: "a")
    reactor.isStubEnabled = true
    let view = NotesView()
    view.reactor = reactor
    reactor.stub.state.value = Notes.State(texts: ["one"])
    #expect(view.shown.all.withLock { $0 } == [[], ["one"]])
    #expect(reactor.stub.actions == [.write("hello")])
  }

  @Test func `before the first State the current one is the smallest value or the given one`() {
    #expect(server.reactor(Notes.self, "notes", session: "a").currentState == Notes.State())
    let given = server.reactor(
      Notes.self, "notes", session: "a", initialState: Notes.State(texts: ["?"]))
    #expect(given.currentState.texts == ["?"])
  }

  @Test func `an expected change is shown at once, and rolled back when it is rejected`()
    async throws
  {
    let live = try await liveCounter(prediction: .local { CounterReactor() })
    let counter = live.reactor
    var values = live.values
    var requests = live.requests
    counter.action.onNext(.add(5))
    #expect(await values.next() == 6)
    let request = await requests.next()
    #expect(request?.body.map { String(decoding: $0, as: UTF8.self) } == #"{"add":5}"#)
    transport.respond(422, #"{"type":"/problems/effect-failed","title":"No","status":422}"#)
    #expect(await values.next() == 1)
    counter.action.onNext(.add(2))
    #expect(await values.next() == 3)
    _ = await requests.next()
    transport.respond(204, cursor: "k-2")
    transport.sendState("counter/a", #"{"value":3}"#, "k-2")
    transport.sendState("counter/a", #"{"value":9}"#, "k-3")
    while let value = await values.next(), value != 9 { #expect(value == 3) }
  }

  @Test func `an expected change ends with the view in the response, without an event`()
    async throws
  {
    let live = try await liveCounter(prediction: .local { CounterReactor() })
    let counter = live.reactor
    var values = live.values
    var requests = live.requests
    counter.action.onNext(.add(5))
    #expect(await values.next() == 6)
    _ = await requests.next()
    // The action does not change what the client sees.
    transport.respond(200, #"{"value":1}"#, cursor: "k-3")
    #expect(await values.next() == 1)
    #expect(counter.cursor?.version == 3)
    // An event of a commit before the response comes too late.
    transport.sendState("counter/a", #"{"value":7}"#, "k-2")
    transport.sendState("counter/a", #"{"value":9}"#, "k-4")
    while let value = await values.next(), value != 9 { #expect(value == 1) }
  }

  @Test func `the second action follows the response to the first, which is repeated`()
    async throws
  {
    let live = try await liveCounter()
    let counter = live.reactor
    var requests = live.requests
    counter.action.onNext(.increase)
    counter.action.onNext(.decrease)
    let first = await requests.next()
    transport.respond(503)
    let second = await requests.next()
    #expect(second == first)
    transport.respond(204, cursor: "k-2")
    let third = await requests.next()
    #expect(third?.body.map { String(decoding: $0, as: UTF8.self) } == #""decrease""#)
    let keys = [first, third].map { $0?.fields.first { $0.name == "Idempotency-Key" }?.value }
    #expect(keys[0] != nil && keys[0] != keys[1])
  }

  @Test func `the actions that were sent are a stream, which does not retain the reactor`() {
    var counter = Optional(server.reactor(CounterReactor.self, "counter", session: "a"))
    weak let reactor = counter
    let action = counter?.action
    let sent = Mutex<[String]>([])
    let subscription = action?.subscribe(onNext: { action in
      sent.withLock { $0.append("\(action)") }
      if case .increase = action { reactor?.action.onNext(.decrease) }
    })
    action?.onNext(.add(2))
    action?.onNext(.increase)
    counter = nil
    #expect(reactor == nil)
    action?.onNext(.add(3))
    #expect(sent.withLock { $0 } == ["add(2)", "increase", "decrease"])
    subscription?.dispose()
  }

  @Test func `a problem has a localized description`() async throws {
    let live = try await liveCounter()
    let counter = live.reactor
    var requests = live.requests
    let task = Task { try await counter.send(.increase) }
    _ = await requests.next()
    transport.respond(422, #"{"type":"/problems/effect-failed","title":"No","detail":"Not today"}"#)
    let error = await #expect(throws: (any Error).self) { try await task.value }
    #expect(error?.localizedDescription == "No. Not today")
  }

  @Test func `a task that is cancelled withdraws its action`() async throws {
    let counter = try await liveCounter().reactor
    let task = Task { () -> Problem.Kind? in
      do throws(Problem) {
        _ = try await counter.send(.increase)
        return nil
      } catch {
        return error.kind
      }
    }
    task.cancel()
    #expect(await task.value == .cancelled)
  }

  @Test func `each further reactor of a live session receives its State`() async throws {
    let live = try await liveCounter()
    for _ in 0..<500 {
      let other = server.reactor(CounterReactor.self, "counter", session: "a")
      var states = other.state.values.makeAsyncIterator()
      #expect(try await states.next()?.number == 1)
    }
    #expect(live.reactor.cursor != nil)
  }

  @Test func `a released reactor leaves its session`() async throws {
    var live = Optional(try await liveCounter())
    var requests = try #require(live).requests
    let other = server.reactor(CounterReactor.self, "counter", session: "b")
    _ = other.state
    let both = await requests.next()
    #expect(both?.path.contains("session=counter%2Fa&session=counter%2Fb") == true)
    #expect(live != nil)
    live = nil
    let one = await requests.next()
    #expect(one?.path.contains("session=counter%2Fa") == false)
  }
}

extension CounterReactor.State {
  /// The value, which is not public.
  var number: Int {
    Mirror(reflecting: self).children.first?.value as? Int ?? -1
  }
}

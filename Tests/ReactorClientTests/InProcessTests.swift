import ReactorClient
import ReactorHost
import ReactorTesting
import Reactors
import Testing

/// Reactors on a host in the same process.
@Suite(.timeLimit(.minutes(10))) struct InProcessTests {
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

  @Test func `the model of a view shows States and problems`() async throws {
    let counter = server.reactor(Counter.self, "counter", session: "c")
    let model = await ObservedReactor(counter)
    await model.send(.add(4))
    while await model.state.value != 4 { await Task.yield() }
    #expect(await model.isLoaded)
    #expect(await model.problem == nil)
  }
}

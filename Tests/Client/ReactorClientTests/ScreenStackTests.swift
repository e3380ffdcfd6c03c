import ReactorClient
import ReactorTestingHost
import Reactors
import Synchronization
import Testing

/// The screens of a hosted flow in a client that does not have the code of the flow.
@Suite(.timeLimit(.minutes(60))) struct ScreenStackTests {
  private let server = ReactorServer.hosting(Catalogue().reactors)

  @Test func `entries are a navigation stack, and a dismissal names the lowest removed screen`()
    async throws
  {
    let order = server.reactor(Order.self, "order", session: "a")
    let state = try await order.send(.stack(.open("/drinks/Latte")))
    #expect(state.stack.entries.map(\.screen) == ["menu", "drink"])
    #expect(state.stack.pushed.map(\.state.name) == ["Latte"])
    #expect(state.stack.covering == nil)
    #expect(state.stack.dismissal(leaving: state.stack.pushed) == nil)
    let dismissal = try #require(state.stack.dismissal(leaving: []))
    let menu = try await order.send(.stack(dismissal))
    #expect(menu.stack.entries.map(\.screen) == ["menu"])
    #expect(menu.stack.path == "/")
  }

  @Test func `going back dismisses the screen in the flow`() async throws {
    let order = server.reactor(Order.self, "order", session: "b")
    let screens = await ObservedStack(
      ObservedReactor(order), stack: \.stack, action: Order.Action.stack)
    await screens.open("/drinks/Mocha")
    while await screens.pushed.map(\.state.name) != ["Mocha"] { await Task.yield() }
    #expect(await screens.root?.screen == "menu")
    await MainActor.run { screens.pushed = [] }
    while try await order.state().stack.entries.count != 1 { await Task.yield() }
    #expect(await screens.pushed.isEmpty)
  }

  @Test func `the types of the interface are those of the flow`() async throws {
    let order = server.reactor(Order.self, "order", session: "c")
    let problems = Mutex<[Problem]>([])
    let subscription = server.problems.subscribe(onNext: { problem in
      problems.withLock { $0.append(problem) }
    })
    // The first use of a stream requests the description of the reactor, before the action is sent.
    _ = order.state
    _ = try await order.send(.stack(.open("/drinks/Latte")))
    #expect(problems.withLock { $0.isEmpty })
    subscription.dispose()
  }
}

/// The interface of the example flow.
private enum Order: ReactorInterface {
  enum Action: Codable {
    case stack(ScreenStackAction)
    case checkout
  }

  struct State: Codable {
    var stack: ScreenStack<Screen>
  }

  struct Screen: Codable, Equatable {
    var name: String?
    var size: String?
  }
}

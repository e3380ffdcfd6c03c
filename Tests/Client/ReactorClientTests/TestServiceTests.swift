import ClientCore
import ReactorClient
import ReactorCore
import ReactorHost
import ReactorTestingHost
import Testing

/// A board of cards, which sends cards to other boards.
final class BoardReactor: Reactor {
  enum Action: Codable {
    case add(String), move(String, to: String), remind(String, seconds: Int), own(Own)

    enum Own: InternalAction { case take(String), remind(String) }
  }

  enum Mutation: Codable { case add(String), remove(String), remind(String) }

  struct State: Codable, Equatable {
    var cards: [String] = []
    var reminders: [String] = []
  }

  enum Rejection: ActionError, Codable, Equatable {
    case noSuchCard(String)
    var status: Int { 409 }
    var title: String { "No such card" }
  }

  let initialState = State()
  private let context: SessionContext<NoParameters>

  init(_ context: SessionContext<NoParameters>) { self.context = context }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .add(let card), .own(.take(let card)): return .just(.add(card))
    case .move(let card, let board):
      guard currentState.cards.contains(card) else { return .error(Rejection.noSuchCard(card)) }
      let other = context.session(BoardReactor.self, "board", board)
      return .concat(other.sendOnly(.own(.take(card))), .just(.remove(card)))
    case .remind(let text, let seconds):
      return schedule(.own(.remind(text)), at: .now + .seconds(seconds), id: text)
    case .own(.remind(let text)):
      return .just(.remind("\(text) at \(WallTime.now.milliseconds / 1000)"))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .add(let card): state.cards.append(card)
    case .remove(let card): state.cards.removeAll { $0 == card }
    case .remind(let text): state.reminders.append(text)
    }
    return state
  }
}

/// Permits a board to its owner.
private struct BoardDelegate: ReactorDelegate {
  typealias Reactor = BoardReactor

  func authorize(_ access: Access<BoardReactor.Action>) throws {
    guard access.principal?.id == "ada" || access.session.id == "public" else { throw Forbidden() }
  }
}

/// Several reactors, users, virtual time and crashes in one process.
@Suite(.timeLimit(.minutes(60))) struct TestServiceTests {
  private let service = TestService([
    ReactorRegistration("board", summary: "Cards", delegate: BoardDelegate()) { BoardReactor($0) }
  ])

  @Test func `a card moves to another board once, also if the service crashes`() async throws {
    let ada = service.server(as: Principal(id: "ada"))
    let todo = ada.reactor(BoardReactor.self, "board", session: "todo")
    let done = ada.reactor(BoardReactor.self, "board", session: "done")
    _ = try await todo.send(.add("Paint"))
    let left = try await todo.send(.move("Paint", to: "done"), expecting: .effects)
    #expect(left.cards == [])
    #expect(try await done.state().cards == ["Paint"])
    await service.crash()
    #expect(try await done.state().cards == ["Paint"])
  }

  @Test func `each client has its principal, and delegates decide`() async throws {
    let bob = service.server(as: Principal(id: "bob"))
    let own = bob.reactor(BoardReactor.self, "board", session: "todo")
    await #expect(throws: Problem.self) { try await own.send(.add("x")) }
    let shared = bob.reactor(BoardReactor.self, "board", session: "public")
    #expect(try await shared.send(.add("x")).cards == ["x"])
    do {
      _ = try await shared.send(.own(.take("y")))
      Issue.record("accepted")
    } catch {
      #expect(error.kind.rawValue == "internal-action" && error.status == 403)
    }
    do {
      _ = try await shared.send(.move("z", to: "public"))
      Issue.record("accepted")
    } catch {
      #expect(error.rejection(as: BoardReactor.Rejection.self) == .noSuchCard("z"))
    }
  }

  @Test func `timers fire in virtual time, also after a crash`() async throws {
    let board = service.server(as: Principal(id: "ada"))
      .reactor(BoardReactor.self, "board", session: "todo")
    _ = try await board.send(.remind("late", seconds: 7200))
    _ = try await board.send(.remind("early", seconds: 60))
    await service.advance(by: .seconds(59))
    #expect(try await board.state().reminders == [])
    await service.advance(by: .seconds(1))
    #expect(try await board.state().reminders == ["early at 60"])
    await service.crash()
    await service.advance(by: .seconds(86_400))
    #expect(try await board.state().reminders == ["early at 60", "late at 7200"])
    #expect(service.time.now == .seconds(86_460))
  }
}

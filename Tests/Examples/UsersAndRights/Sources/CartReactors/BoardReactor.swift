import ReactorCore
import ReactorHost

/// A board of several users: its first user creates it and invites the others.
package final class BoardReactor: Reactor {
  package enum Action: Codable, Sendable { case open, invite(String), write(String) }
  package enum Mutation: Codable, Sendable { case addMember(String), append(String) }
  package struct State: Codable, Sendable {
    var members: [String] = []
    var notes: [String] = []
  }

  package let initialState = State()

  package init() {}

  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .open: .just(.addMember(RequestContext.current?.principal?.id ?? "unknown"))
    case .invite(let name): .just(.addMember(name))
    case .write(let note): .just(.append(note))
    }
  }

  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .addMember(let name): state.members.append(name)
    case .append(let note): state.notes.append(note)
    }
    return state
  }
}

/// A board without members can be opened by any user; then only its members use it.
package struct BoardDelegate: ReactorDelegate {
  package typealias Reactor = BoardReactor

  package init() {}

  package func authorize(_ access: Access<BoardReactor.Action>) throws {
    let members = try access.state(of: BoardReactor.self)?.members ?? []
    if case .act(.open) = access.request, members.isEmpty { return }
    guard let user = access.principal?.id, members.contains(user) else {
      throw Forbidden("Only members use this board.")
    }
  }
}

import ReactorCore

/// The rooms that are open.
final class DirectoryReactor: Reactor {
  enum Action: Codable {
    case list(room: String, title: String)
    case remove(room: String)
  }

  enum Mutation: Codable {
    case set(room: String, title: String?)
  }

  struct State: Codable {
    var rooms: [String: String] = [:]
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .list(let room, let title): .just(.set(room: room, title: title))
    case .remove(let room): .just(.set(room: room, title: nil))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .set(let room, let title): state.rooms[room] = title
    }
    return state
  }
}

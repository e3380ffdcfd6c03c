import ReactorCore

final class TodoReactor: Reactor {
  enum Action: Codable { case add(String), toggle(Int), clearDone }
  enum Mutation: Codable { case append(String), flip(Int), removeDone }

  struct State: Codable, Equatable {
    struct Item: Codable, Equatable {
      var title: String
      var isDone = false
    }
    var items: [Item] = []
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .add(let title): return .just(.append(title))
    case .toggle(let index):
      guard currentState.items.indices.contains(index) else { return .error(NoSuchItem()) }
      return .just(.flip(index))
    case .clearDone: return .just(.removeDone)
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .append(let title): state.items.append(.init(title: title))
    case .flip(let index): state.items[index].isDone.toggle()
    case .removeDone: state.items.removeAll { $0.isDone }
    }
    return state
  }
}

struct NoSuchItem: ActionError { let status = 404, title = "No such item" }

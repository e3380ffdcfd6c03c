import ReactorCore

/// A list of things to do, one per session.
package final class TodoReactor: Reactor {
  /// The requests of clients: `{"add":"Buy milk"}`, `{"finish":0}`.
  package enum Action: Codable, Sendable {
    case add(String)
    case finish(Int)
  }

  /// The changes of the state, as the log stores them.
  package enum Mutation: Codable, Sendable {
    case append(String)
    case finish(Int)
  }

  /// The state that subscribers receive.
  package struct State: Codable, Equatable, Sendable {
    package struct Item: Codable, Equatable, Sendable {
      package var title: String
      package var isDone = false
    }

    package var items: [Item] = []
  }

  package let initialState = State()

  package init() {}

  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .add(let title):
      return .just(.append(title))
    case .finish(let index):
      // The index comes from the network, and may be out of range.
      guard currentState.items.indices.contains(index) else {
        return .error(NoSuchItem(index: index))
      }
      return .just(.finish(index))
    }
  }

  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .append(let title): state.items.append(.init(title: title))
    case .finish(let index): state.items[index].isDone = true
    }
    return state
  }
}

/// The response to an index without an item.
struct NoSuchItem: ActionError, Equatable {
  let index: Int
  var status: Int { 404 }
  var title: String { "There is no item \(index)" }
}

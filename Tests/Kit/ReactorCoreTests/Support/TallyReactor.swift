import ReactorCore
import ReactorStreams

/// Counts its actions.
final class TallyReactor: Reactor {
  enum Action: Sendable { case increase }

  let initialState = 0

  func reduce(state: Int, mutation: Action) -> Int {
    state + 1
  }
}

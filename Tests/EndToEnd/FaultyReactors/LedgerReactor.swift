import ReactorCore

/// A reactor that enters numbers, immediately or in an effect, so that its log shows which requests
/// it has executed.
final class LedgerReactor: Reactor {
  enum Action: Codable, Sendable {
    case enter(Int)
    /// Enters a number after a time, in milliseconds.
    case enterLater(Int, after: Int)
  }

  enum Mutation: Codable, Sendable {
    case didEnter(Int)
  }

  struct State: Codable, Equatable, Sendable {
    var count = 0
    var sum = 0
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .enter(let number): return .just(.didEnter(number))
    case .enterLater(let number, let time):
      return Observable<Int>.timer(.milliseconds(time), scheduler: MainScheduler.instance)
        .map { _ in .didEnter(number) }
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .didEnter(let number):
      state.count += 1
      state.sum += number
    }
    return state
  }
}

import ReactorCore
import ReactorHost
import ReactorStreams

/// A reactor whose `reduce` reads `currentState`, `initialState` and the parameters of its session, and
/// has effects that only a live session may have.
class PagesReactor: ReactorInstance, ReactorProtocol {
  enum Action: Codable, Sendable {
    case go(Mutation)
  }

  enum Mutation: Codable, Sendable, CaseIterable {
    case turn, sum, swap, append, mark, reset, tell, act
  }

  struct State: Codable, Sendable {
    var page = 0
    var label = ""
    var sum = 1
    var list: [Int] = []
    var marks: Set<String> = []
    var counts: [[Int]: Set<Int>] = [:]
  }

  let initialState: State
  private let other: SessionReference<SampleReactor>?

  /// Creates a reactor that begins with a page.
  init(page: Int, other: SessionReference<SampleReactor>? = nil) {
    initialState = State(page: page)
    self.other = other
    super.init()
  }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .go(let mutation): .just(mutation)
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .turn:
      state.label = "page \(currentState.page)"
      state.page += 1
    case .sum: state.sum = (state.sum &+ currentState.sum &+ currentState.page) % 1_000_003
    case .swap: state.list = currentState.list.reversed()
    case .append: state.list.append(currentState.list.count + currentState.page)
    case .mark:
      state.marks.formSymmetricDifference(["mark \(currentState.page % 5)", "\(state.marks.count)"])
      state.counts[[state.page % 3], default: []].insert(currentState.marks.count)
    case .reset: state = initialState
    case .tell:
      // A side effect that belongs to `mutate`: a fold must not repeat it.
      _ = other?.send(.add(1)).subscribe()
      state.label = "sent \(currentState.label.count)"
    case .act:
      action.onNext(.go(.turn))
      state.label = "acted at \(currentState.page)"
    }
    return state
  }

  func transform(state: Observable<State>) -> Observable<State> { state }
}

/// Shows another State than `reduce` returns; `currentState` is the shown one.
final class ShownPagesReactor: PagesReactor {
  override func transform(state: Observable<State>) -> Observable<State> {
    state.map { state in
      var shown = state
      shown.page = state.page * 10 + 7
      shown.list.append(state.sum)
      return shown
    }
  }
}

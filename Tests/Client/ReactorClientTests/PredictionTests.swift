import ReactorCore
import ReactorStreams
import Testing

@testable import ReactorClient

struct PredictionTests {
  /// A reactor whose `reduce` reads `currentState`.
  private final class Pages: Reactor {
    enum Action: Sendable { case turn(Int) }
    enum Mutation: Sendable { case turn }
    struct State: Sendable {
      var page = 0
      var visited: [Int] = []
    }

    let initialState = State()

    func mutate(action: Action) -> Observable<Mutation> {
      switch action {
      case .turn(let count): .from(Array(repeating: .turn, count: count))
      }
    }

    func reduce(state: State, mutation: Mutation) -> State {
      State(page: state.page + 1, visited: state.visited + [currentState.page])
    }
  }

  @Test func `currentState in reduce of a local prediction is the previous State`() {
    let prediction = Prediction<Pages.Action, Pages.State>.local { Pages() }
    let shown = prediction.apply(Pages.State(page: 3), .turn(3))
    #expect(shown.page == 6)
    #expect(shown.visited == [3, 4, 5])
  }
}

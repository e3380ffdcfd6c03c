import ReactorCore
import ReactorHost

/// The notes of teams, which only their members see.
final class BoardReactor: Reactor, ProjectedReactor {
  enum Action: Codable, Sendable {
    case admit(String, to: String)
    case dismiss(String)
    case write(String, for: String)
  }

  typealias Mutation = Action

  struct State: Codable, Equatable, Sendable {
    /// The teams of members, by their names.
    var members: [String: String] = [:]
    var notes: [String: [String]] = [:]
  }

  struct View: Codable, Sendable {
    var team: String
    var notes: [String]
  }

  static let projection = Projection { (viewer: Viewer, state: State) -> Audience<String> in
    viewer.id.flatMap { state.members[$0] }.map { .sees($0) } ?? .nothing
  } view: { state, team in
    View(team: team, notes: state.notes[team] ?? [])
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> { .just(action) }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .admit(let name, let team): state.members[name] = team
    case .dismiss(let name): state.members[name] = nil
    case .write(let text, let team): state.notes[team, default: []].append(text)
    }
    return state
  }
}

import ReactorCore
import ReactorHost

/// A number that is shown to as many audiences as the id of the session says, for measurements.
final class CrowdReactor: Reactor, ProjectedReactor {
  enum Action: String, Codable, Sendable { case increase }
  typealias Mutation = Action

  struct State: Codable, Equatable, Sendable {
    var value = 0
  }

  struct View: Codable, Sendable {
    var value: Int
    var audience: Int
  }

  /// The number that a client has as its name decides its audience.
  static let projection = Projection(
    dependsOn: { (_: State) in 0 }
  ) { (viewer: Viewer, _: State) -> Audience<Int> in
    .sees((Int(viewer.name ?? "") ?? 0) % max(1, Int(viewer.session.id) ?? 1))
  } view: { state, audience in
    View(value: state.value, audience: audience)
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> { .just(action) }

  func reduce(state: State, mutation: Mutation) -> State { State(value: state.value + 1) }
}

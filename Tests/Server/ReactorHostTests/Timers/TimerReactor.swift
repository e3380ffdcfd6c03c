import ReactorCore
import ReactorHost

/// A reactor whose actions schedule timers.
final class TimerReactor: Reactor {
  enum Action: Codable, Equatable, Sendable {
    case arm(id: String, at: WallTime, every: Int64?, catchUp: Bool)
    case disarm(String)
    case ring(String)
    case again(String)
    case fail
  }

  enum Mutation: Codable, Sendable {
    case didArm
    case didRing(String)
  }

  struct State: Codable, Equatable, Sendable {
    var armed = 0
    var rings: [String] = []
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .arm(let id, let time, let period, let catchUp):
      .concat(
        .just(.didArm),
        schedule(
          id == "fail" ? .fail : .ring(id), at: time, id: id,
          every: period.map { .milliseconds($0) }, catchUp: catchUp))
    case .disarm(let id): .unschedule(id: id)
    case .ring(let id): .just(.didRing(id))
    case .again(let id):
      // Schedules the same id again from the timer's own action.
      .concat(.just(.didRing(id)), schedule(.ring(id), at: .now + .seconds(3600), id: id))
    case .fail: .concat(.just(.didRing("fail")), .error(Mishap()))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .didArm: state.armed += 1
    case .didRing(let id): state.rings.append(id)
    }
    return state
  }
}

import ReactorCore

/// A reactor that schedules many timers, each of which must fire once.
final class AlarmReactor: Reactor {
  enum Action: Codable, Sendable {
    /// Schedules timers with consecutive numbers, the first after a delay, in milliseconds.
    case arm(from: Int, count: Int, delay: Int64, step: Int64)
    case ring(Int, dueAt: WallTime)
    /// Schedules an action that traps, now and every hour.
    case armTrap
    case trap
  }

  enum Mutation: Codable, Sendable {
    case didArm(Int)
    case didRing(Int, wasEarly: Bool)
  }

  struct State: Codable, Equatable, Sendable {
    var armed = 0
    var rings: [Int] = []
    var early = 0
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .arm(let first, let count, let delay, let step):
      let start = WallTime.now + .milliseconds(delay)
      let timers = (0..<count).map { index in
        let due = start + .milliseconds(Int64(index) * step)
        return schedule(.ring(first + index, dueAt: due), at: due, id: "\(first + index)")
      }
      return .concat([.just(.didArm(count))] + timers)
    case .ring(let number, let due): return .just(.didRing(number, wasEarly: .now < due))
    case .armTrap:
      return .concat(
        .just(.didArm(1)), schedule(.trap, at: .now, id: "trap", every: .seconds(3600)))
    case .trap: fatalError("The action of a timer traps.")
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .didArm(let count): state.armed += count
    case .didRing(let number, let wasEarly):
      state.rings.append(number)
      if wasEarly { state.early += 1 }
    }
    return state
  }
}

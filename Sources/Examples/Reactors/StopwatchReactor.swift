package import ReactorCore
package import ReactorStreams

/// A stopwatch: an effect that runs until the next `stop`.
package final class StopwatchReactor: Reactor {
  /// The actions that clients send.
  package enum Action: Codable, Equatable, Sendable {
    case start
    case stop
    case reset
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case setRunning(Bool)
    case tick
    case setTicks(Int)
  }

  /// The number of ticks, and whether the stopwatch runs.
  package struct State: Codable, Sendable {
    var ticks = 0
    var isRunning = false
  }

  /// Stopped, at zero.
  package let initialState = State()

  private let interval: Duration
  /// The effect of this instance.
  ///
  /// The state can be that of an earlier instance, whose effect has ended, or of an effect that was cancelled.
  private let ticking = ExclusiveStream()
  private let scheduler: any SchedulerType

  /// Creates a stopwatch.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks.
  ///   - scheduler: The clock of the ticks.
  package init(
    interval: Duration = .seconds(1), scheduler: any SchedulerType = TaskScheduler.instance
  ) {
    self.interval = interval
    self.scheduler = scheduler
  }

  /// Starts the effect that the next `stop` ends.
  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .start:
      guard !ticking.isRunning else { return .empty() }
      return ticking.track(
        .concat([
          // The state is already running if the action executes again after a restart of the host.
          currentState.isRunning ? .empty() : .just(.setRunning(true)),
          Observable<Int>.interval(interval, scheduler: scheduler)
            .map { _ in .tick }
            .take(until: self.action.filter { $0 == .stop }),
        ]))
    case .stop:
      return currentState.isRunning ? .just(.setRunning(false)) : .empty()
    case .reset: return .just(.setTicks(0))
    }
  }

  /// Applies a mutation.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .setRunning(let isRunning): state.isRunning = isRunning
    case .tick: state.ticks += 1
    case .setTicks(let ticks): state.ticks = ticks
    }
    return state
  }
}

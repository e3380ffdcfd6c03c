public import ReactorCore
public import ReactorStreams

/// Counts ticks while it runs: an effect that goes on for as long as nobody stops it.
public final class StopwatchReactor: Reactor {
  /// What a client asks for.
  public enum Action: Codable, Equatable, Sendable {
    case start
    case stop
    case reset
  }

  /// One change of the stopwatch.
  public enum Mutation: Codable, Sendable {
    case setRunning(Bool)
    case tick
    case setTicks(Int)
  }

  /// What the stopwatch shows.
  public struct State: Codable, Sendable {
    var ticks = 0
    var isRunning = false
  }

  /// At rest, at zero.
  public let initialState = State()

  private let interval: Duration
  /// Whether this instance has a ticking effect; what the state says may be of an earlier one.
  private var isTicking = false
  private let scheduler: any SchedulerType

  /// Makes a stopwatch.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks.
  ///   - scheduler: Whose time it is.
  public init(
    interval: Duration = .seconds(1), scheduler: any SchedulerType = TaskScheduler.instance
  ) {
    self.interval = interval
    self.scheduler = scheduler
  }

  /// Starts the ticking, which the next `stop` ends.
  public func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .start:
      guard !isTicking else { return .empty() }
      isTicking = true
      return .concat([
        // Running already where a host that was stopped runs the action again.
        currentState.isRunning ? .empty() : .just(.setRunning(true)),
        Observable<Int>.interval(interval, scheduler: scheduler)
          .map { _ in .tick }
          .take(until: self.action.filter { $0 == .stop }),
      ])
    case .stop:
      isTicking = false
      return currentState.isRunning ? .just(.setRunning(false)) : .empty()
    case .reset: return .just(.setTicks(0))
    }
  }

  /// Writes a change into the stopwatch.
  public func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .setRunning(let isRunning): state.isRunning = isRunning
    case .tick: state.ticks += 1
    case .setTicks(let ticks): state.ticks = ticks
    }
    return state
  }
}

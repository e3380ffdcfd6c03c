/// Executes work, immediately or after a delay.
///
/// Every operator that depends on time has a scheduler, so that a test can use virtual time.
public protocol SchedulerType: Sendable {
  /// The duration since a fixed point in time.
  var now: Duration { get }

  /// The scheduler that a subscription uses if it starts now.
  ///
  /// An operator reads it once per subscription. A scheduler that depends on the current context,
  /// such as ``MainScheduler``, returns the scheduler of that context. All other schedulers return
  /// themselves.
  var resolved: any SchedulerType { get }

  /// Executes work once: after a positive delay, otherwise as soon as possible.
  ///
  /// - Returns: A disposable that cancels work that has not started.
  @discardableResult
  func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable
}

extension SchedulerType {
  /// This scheduler.
  public var resolved: any SchedulerType {
    self
  }

  /// Executes work as soon as possible.
  ///
  /// - Returns: A disposable that cancels the work and disposes of its result.
  public func schedule<State: Sendable>(
    _ state: State, action: @escaping @Sendable (State) -> any Disposable
  ) -> any Disposable {
    scheduleRelative(state, dueTime: .zero, action: action)
  }

  /// Executes work after a delay.
  ///
  /// - Returns: A disposable that cancels the work and disposes of its result.
  public func scheduleRelative<State: Sendable>(
    _ state: State, dueTime: Duration, action: @escaping @Sendable (State) -> any Disposable
  ) -> any Disposable {
    let result = SingleAssignmentDisposable()
    let work = schedule(after: dueTime) {
      guard !result.isDisposed else { return }
      result.setDisposable(action(state))
    }
    return Disposables.create(work, result)
  }

  /// Executes work that can schedule itself again, as a loop instead of a recursion.
  ///
  /// - Parameters:
  ///   - state: The first state.
  ///   - action: Receives the state and a closure that schedules the next step.
  /// - Returns: A disposable that cancels the work.
  public func scheduleRecursive<State: Sendable>(
    _ state: State,
    action: @escaping @Sendable (State, @escaping @Sendable (State) -> Void) -> Void
  ) -> any Disposable {
    let steps = RecursiveSteps(on: self, action)
    steps.schedule(state)
    return steps
  }
}

/// Executes scheduled work that can schedule itself again.
///
/// A step that the scheduler executes during the previous one, in place, waits for its end.
private final class RecursiveSteps<State: Sendable>: Disposable {
  private let scheduler: any SchedulerType
  private let action: @Sendable (State, @escaping @Sendable (State) -> Void) -> Void
  private let current = SerialDisposable()
  private let queue = SerialQueue<State>()

  init(
    on scheduler: any SchedulerType,
    _ action: @escaping @Sendable (State, @escaping @Sendable (State) -> Void) -> Void
  ) {
    self.scheduler = scheduler
    self.action = action
  }

  func schedule(_ state: State) {
    guard !current.isDisposed else { return }
    let scheduled = SingleAssignmentDisposable()
    current.disposable = scheduled
    scheduled.setDisposable(
      scheduler.schedule(after: .zero) { [self] in queue.post(state, handle: execute) })
  }

  func dispose() {
    current.dispose()
  }

  private func execute(_ state: State) {
    if !current.isDisposed { action(state, schedule) }
  }
}

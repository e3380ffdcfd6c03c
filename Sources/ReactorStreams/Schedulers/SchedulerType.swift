/// Runs work later.
///
/// Time is a parameter, so that a test can bring its own.
public protocol SchedulerType: Sendable {
  /// The time, counted from a moment that stays the same.
  var now: Duration { get }

  /// The scheduler that a subscription uses which begins now. Operators ask once for each
  /// subscription; all schedulers but those that depend on where they are used return themselves.
  var resolved: any SchedulerType { get }

  /// Runs work after a time, once; a time that is not positive means as soon as possible.
  ///
  /// - Returns: What keeps the work from running if it has not begun.
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

  /// Runs work as soon as possible; RxSwift's form.
  ///
  /// - Returns: What keeps the work from running, and afterwards ends what the work returned.
  public func schedule<State: Sendable>(
    _ state: State, action: @escaping @Sendable (State) -> any Disposable
  ) -> any Disposable {
    scheduleRelative(state, dueTime: .zero, action: action)
  }

  /// Runs work after a time; RxSwift's form.
  ///
  /// - Returns: What keeps the work from running, and afterwards ends what the work returned.
  public func scheduleRelative<State: Sendable>(
    _ state: State, dueTime: Duration, action: @escaping @Sendable (State) -> any Disposable
  ) -> any Disposable {
    let begun = SingleAssignmentDisposable()
    let waiting = schedule(after: dueTime) {
      guard !begun.isDisposed else { return }
      begun.setDisposable(action(state))
    }
    return Disposables.create(waiting, begun)
  }
}

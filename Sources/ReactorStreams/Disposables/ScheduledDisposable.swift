/// Ends a disposable on a scheduler.
public final class ScheduledDisposable: Cancelable {
  /// Where it is ended.
  public let scheduler: any SchedulerType

  private let held = SingleAssignmentDisposable()

  /// Wraps a disposable.
  public init(scheduler: any SchedulerType, disposable: any Disposable) {
    self.scheduler = scheduler
    held.setDisposable(disposable)
  }

  /// Whether the disposable has ended.
  public var isDisposed: Bool {
    held.isDisposed
  }

  /// Has the scheduler end the disposable as soon as possible.
  public func dispose() {
    scheduler.schedule(after: .zero) { [held] in held.dispose() }
  }
}

/// Disposes of another disposable on a scheduler.
public final class ScheduledDisposable: Cancelable {
  /// The scheduler.
  public let scheduler: any SchedulerType

  private let held = SingleAssignmentDisposable()

  /// Wraps a disposable.
  public init(scheduler: any SchedulerType, disposable: any Disposable) {
    self.scheduler = scheduler
    held.setDisposable(disposable)
  }

  /// Whether the disposable was disposed of.
  public var isDisposed: Bool {
    held.isDisposed
  }

  /// Schedules the disposal.
  public func dispose() {
    scheduler.schedule(after: .zero) { [held] in held.dispose() }
  }
}

/// Executes work in the session's serial context, like ``MainScheduler``, but immediately if the
/// calling thread is in that context.
///
/// Use it to subscribe: a subscriber in the context receives the first element before `subscribe`
/// returns.
public struct ConcurrentMainScheduler: SchedulerType {
  /// The shared instance.
  public static let instance = ConcurrentMainScheduler()

  /// The scheduler of the current serial context.
  public var resolved: any SchedulerType {
    SerialContextScheduler(CurrentSerialContext.orShared, turn: .inPlace)
  }

  /// The time of the current context.
  public var now: Duration {
    CurrentSerialContext.orShared.timer.now
  }

  /// Executes work in the current context.
  ///
  /// - Returns: A disposable that cancels work that has not started.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    resolved.schedule(after: delay, work)
  }
}

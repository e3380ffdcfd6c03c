/// Runs work in the session's own serial context, like ``MainScheduler``; but work that is scheduled
/// in the context runs in place, not when the turn is done.
///
/// It is for subscriptions: one who subscribes in the context gets the first element before
/// `subscribe` returns.
public struct ConcurrentMainScheduler: SchedulerType {
  /// The one there is.
  public static let instance = ConcurrentMainScheduler()

  /// The scheduler of the serial context that is current now.
  public var resolved: any SchedulerType {
    SerialContextScheduler(CurrentSerialContext.orShared, turn: .inPlace)
  }

  /// The time of the context that is current now.
  public var now: Duration {
    CurrentSerialContext.orShared.timer.now
  }

  /// Runs work in the context that is current now, after a time.
  ///
  /// - Returns: What keeps the work from running if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    resolved.schedule(after: delay, work)
  }
}

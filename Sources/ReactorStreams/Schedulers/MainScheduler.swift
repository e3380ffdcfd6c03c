/// Runs work in the session's own serial context: where an app means its main thread, a reactor on a
/// server means the session that it belongs to.
///
/// Which session that is, is decided when an operator's subscription begins, by who runs it; outside
/// of any, it is one serial context of the process. Nothing here is bound to a thread.
public struct MainScheduler: SchedulerType {
  /// Runs work at once where the context is free, else when it is.
  public static let instance = MainScheduler(turn: .queued)

  /// Runs work in the context, but never before `schedule` returned.
  public static let asyncInstance = MainScheduler(turn: .deferred)

  private let turn: SerialContextScheduler.Turn

  private init(turn: SerialContextScheduler.Turn) {
    self.turn = turn
  }

  /// Makes the same as ``instance``.
  public init() {
    turn = .queued
  }

  /// The scheduler of the serial context that is current now.
  public var resolved: any SchedulerType {
    SerialContextScheduler(CurrentSerialContext.orShared, turn: turn)
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

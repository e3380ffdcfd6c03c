/// Executes work in the session's serial context: the counterpart, on a server, of an app's main
/// thread.
///
/// An operator determines the session when its subscription starts. Outside of a session, the
/// scheduler uses one serial context of the process. It is not bound to a thread.
public struct MainScheduler: SchedulerType {
  /// Executes work at once if the context is idle, otherwise in its next turn.
  public static let instance = MainScheduler(turn: .queued)

  /// Executes work in the context, after `schedule` has returned.
  public static let asyncInstance = MainScheduler(turn: .deferred)

  private let turn: SerialContextScheduler.Turn

  private init(turn: SerialContextScheduler.Turn) {
    self.turn = turn
  }

  /// Creates a scheduler equal to ``instance``.
  public init() {
    turn = .queued
  }

  /// The scheduler of the current serial context.
  public var resolved: any SchedulerType {
    SerialContextScheduler(CurrentSerialContext.orShared, turn: turn)
  }

  /// Does nothing.
  ///
  /// RxSwift traps here off the main thread; a session's context has no thread to check.
  public static func ensureExecutingOnScheduler(errorMessage _: String? = nil) {}

  /// Does nothing; see ``ensureExecutingOnScheduler(errorMessage:)``.
  public static func ensureRunningOnMainThread(errorMessage _: String? = nil) {}

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

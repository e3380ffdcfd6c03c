/// Executes work in the session's serial context: the counterpart, on a server, of an app's main
/// thread.
///
/// An operator determines the session when its subscription starts. Outside of a session, the
/// scheduler uses one serial context of the process. It is not bound to a thread.
public struct MainScheduler: SchedulerType {
  /// Executes work immediately if the context is idle, otherwise in its next turn.
  public static let instance = MainScheduler(turn: .queued)

  /// Executes work in the context, from a task: never on the calling thread during `schedule`.
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
  /// RxSwift traps here if the caller is not on the main thread. A session's context is not bound
  /// to a thread, so there is nothing to check.
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

/// The running effects of a session.
///
/// They are not part of its state and not logged.
public struct SessionActivity: Hashable, Encodable, Sendable {
  /// The number of running effects.
  public var running: Int

  /// The mean progress of the effects that report it, from 0 to 1, or `nil` if none does.
  public var progress: Double?

  /// Creates an activity.
  public init(running: Int = 0, progress: Double? = nil) {
    self.running = running
    self.progress = progress
  }
}

/// Observes the activity of a session.
public protocol ActivityObserver: AnyObject, Sendable {
  /// The activity may have changed. Called at the end of a turn of the session, one call at a time;
  /// it must not block.
  func activityDidChange(_ activity: SessionActivity)
}

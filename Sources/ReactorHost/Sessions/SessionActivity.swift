/// What goes on in a session, beside its state: nothing of it is logged.
public struct SessionActivity: Hashable, Encodable, Sendable {
  /// How many effects run.
  public var running: Int

  /// How far they have come, from 0 to 1; `nil` where none tells it.
  public var progress: Double?

  /// Makes an activity.
  public init(running: Int = 0, progress: Double? = nil) {
    self.running = running
    self.progress = progress
  }
}

/// Told of what goes on in a session.
public protocol ActivityObserver: AnyObject, Sendable {
  /// The activity is another one, or may be. Called in the session's turn, which must not be held
  /// up, one call after the other; what changes within one turn is told as it is at its end.
  func activityDidChange(_ activity: SessionActivity)
}

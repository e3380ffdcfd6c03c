/// The status of the event stream that delivers States.
public enum ConnectionStatus: Hashable, Sendable {
  /// There is no connection yet.
  case connecting

  /// The stream is open; States are current.
  case live

  /// The stream failed with a problem and will be resumed; States are the last known ones.
  case reconnecting(Problem)

  /// The client was paused; there is no connection until it is resumed.
  case paused

  /// The session was deleted (``Problem/Kind/sessionEnded``), or the server rejected the stream
  /// permanently.
  case ended(Problem)
}

/// The running effects of a session.
public struct Activity: Hashable, Sendable {
  /// The number of running effects.
  public var running: Int

  /// Their mean progress from 0 to 1, or `nil` if none reports it.
  public var progress: Double?

  /// The activity without running effects.
  public static let idle = Activity(running: 0, progress: nil)

  /// Creates an activity.
  public init(running: Int, progress: Double?) {
    self.running = running
    self.progress = progress
  }
}

/// The lifetime of a shared stream's replayed elements and of its stop event.
public enum SubjectLifetimeScope: Sendable {
  /// A connection: the next first observer starts without them.
  case whileConnected

  /// The stream: they remain available without observers.
  case forever
}

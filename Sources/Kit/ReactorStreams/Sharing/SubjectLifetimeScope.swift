/// The lifetime of a shared stream's replayed elements and of its stop event.
public enum SubjectLifetimeScope: Sendable {
  /// The lifetime of a connection: the next connection starts without its elements and stop event.
  case whileConnected

  /// The lifetime of the stream: the elements and the stop event remain available without
  /// observers.
  case forever
}

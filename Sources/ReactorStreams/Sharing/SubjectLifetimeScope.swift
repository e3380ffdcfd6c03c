/// How long a shared stream remembers.
public enum SubjectLifetimeScope: Sendable {
  /// While somebody observes: each time the first one comes, everything begins anew.
  case whileConnected

  /// As long as the stream exists: what is remembered, and the end, outlast the observers.
  case forever
}

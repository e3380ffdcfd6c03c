/// What a command line asks for.
public enum Invocation: Sendable {
  /// Run the daemon. The warnings go to the log once there is one.
  case serve(Configuration, warnings: [String])

  /// Do something with the store that is configured.
  case log(StoreTask, Configuration)

  /// Ask a running daemon whether it is healthy.
  case health(HealthProbe)

  /// Print a session's State of a running daemon, and what changes.
  case watch(WatchTask)

  /// Send an action to a running daemon.
  case send(SendTask)

  /// Print this text to standard output and exit 0.
  case print(String)
}

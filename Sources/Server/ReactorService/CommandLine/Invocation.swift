public import TerminalClient

/// A parsed command line.
public enum Invocation: Sendable {
  /// Run the daemon, and log the warnings.
  case serve(Configuration, warnings: [String])

  /// Maintain the configured store.
  case log(StoreTask, Configuration)

  /// List or clear the quarantine of the configured store.
  case quarantine(QuarantineTask, Configuration)

  /// Explain which rule grants a right.
  case explain(ExplainCommand, Configuration)

  /// Check that a running daemon is healthy.
  case health(HealthProbe)

  /// Print a session's State and its changes.
  case watch(WatchCommand)

  /// Print the changes of all sessions.
  case changes(ChangesCommand)

  /// Send an action to a session.
  case send(SendCommand)

  /// Write a package with one reactor.
  case new(NewPackageCommand)

  /// Print a text to standard output and exit with 0.
  case print(String)
}

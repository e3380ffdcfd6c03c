/// A maintenance task of a store: `reactord log …`.
public enum StoreTask: Equatable, Sendable {
  /// Replay every session and compare the result with its snapshots.
  case verify

  /// Export all sessions to standard output.
  case export

  /// Import an export from standard input.
  case `import`

  /// Copy the store to a file.
  case backup(String)

  /// Delete the entries that `log.retain` does not retain.
  case compact

  /// Parses the name of a task; `nil` if it is unknown or its destination is missing.
  init?(_ word: String, destination: String?) {
    switch word {
    case "verify": self = .verify
    case "export": self = .export
    case "import": self = .import
    case "compact": self = .compact
    case "backup":
      guard let destination, !destination.isEmpty else { return nil }
      self = .backup(destination)
    default: return nil
    }
  }
}

/// Something that is done with a store by hand: `reactord log …`.
public enum StoreTask: Equatable, Sendable {
  /// Fold every session anew.
  case verify

  /// Write all sessions to standard output.
  case export

  /// Read what was written from standard input.
  case `import`

  /// Copy the store to a file.
  case backup(String)

  /// Remove what retention does not keep.
  case compact

  /// Reads the word of the command line; `nil` where there is no such task, or no destination.
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

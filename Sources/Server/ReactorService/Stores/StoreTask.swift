internal import ReactorCoding

/// A maintenance task of a store: `reactord log …`.
public enum StoreTask: Equatable, Sendable {
  /// Replay every session and compare the result with its snapshots.
  case verify

  /// Check whether the hosted reactors can decode what is stored.
  case check

  /// Export all sessions to standard output, or a number of sessions per reactor without the content of
  /// members.
  case export(sample: Int?, dropping: [String])

  /// Import an export from standard input; without the sessions and globals that are damaged in the export
  /// or exist, if they are to be left out.
  case `import`(leavesOutDamaged: Bool)

  /// Copy the store to a file.
  case backup(String)

  /// Migrate the tables of a store that an earlier release has written.
  case migrate

  /// Delete the entries that `log.retain` does not retain.
  case compact

  /// The flags of a task, by its name.
  static func flags(of word: String) -> [String] {
    switch word {
    case "backup": ["--to"]
    case "export": ["--sample", "--drop"]
    case "import": ["--damaged"]
    default: []
    }
  }

  /// Parses the name of a task and its flags.
  ///
  /// - Throws: The error if the name is unknown, or a flag is missing or invalid.
  init(_ word: String, _ flags: [String: [String]]) throws(ConfigurationError) {
    switch word {
    case "verify": self = .verify
    case "check": self = .check
    case "export":
      let dropped = flags["--drop"] ?? []
      guard dropped.isEmpty || flags["--sample"] != nil else {
        throw .usage("--drop needs --sample NUMBER")
      }
      for pointer in dropped where (try? JSONPointer(pointer))?.tokens.isEmpty ?? true {
        throw .usage("--drop: expected a JSON Pointer such as /people/*/email, found \(pointer)")
      }
      var sample: Int?
      if let text = flags["--sample"]?.last {
        guard let count = Int(text), (1...100_000).contains(count) else {
          throw .usage("--sample: expected a number of sessions from 1 to 100000, found \(text)")
        }
        sample = count
      }
      self = .export(sample: sample, dropping: dropped)
    case "import":
      let choice = flags["--damaged"]?.last ?? "reject"
      guard choice == "reject" || choice == "skip" else {
        throw .usage("--damaged: expected reject or skip, found \(choice)")
      }
      self = .import(leavesOutDamaged: choice == "skip")
    case "compact": self = .compact
    case "migrate": self = .migrate
    case "backup":
      guard let destination = flags["--to"]?.last, !destination.isEmpty else {
        throw .usage("'reactord log backup' needs --to FILE")
      }
      self = .backup(destination)
    default:
      throw .unknown(
        "task", word,
        among: ["backup", "check", "compact", "export", "import", "migrate", "verify"])
    }
  }
}

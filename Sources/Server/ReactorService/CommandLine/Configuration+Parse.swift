internal import ReactorHTTP

extension Configuration {
  /// Parses a command line, the environment and the configuration file that they name.
  ///
  /// The function is pure except for `readFile`, which it calls at most once. A flag overrides the
  /// environment, the environment the file, the file the default. The last of repeated flags is used.
  ///
  /// - Parameters:
  ///   - arguments: The command line without the name of the program.
  ///   - environment: The environment; only variables that begin with `REACTORD_` are read.
  ///   - readFile: Returns the bytes of a file.
  ///   - settings: Settings in addition to the service's own.
  /// - Returns: The command to execute.
  /// - Throws: An error with exit code 64 for an invalid command line, or 78 for an invalid value, key
  ///   or file.
  public static func parse(
    arguments: [String], environment: [String: String],
    readFile: (String) throws(FileProblem) -> [UInt8], settings: [Setting] = []
  ) throws(ConfigurationError) -> Invocation {
    let table = try SettingsTable(extras: settings)
    guard let command = arguments.first else {
      throw .usage("a command is missing", help: "\n\(SettingsTable.overview)\n")
    }
    let reader = InvocationReader(table: table, environment: environment)
    switch command {
    case "serve":
      return try reader.serve(arguments.dropFirst(), readFile: readFile)
    case "log":
      return try reader.log(arguments.dropFirst(), readFile: readFile)
    case "quarantine":
      return try reader.quarantine(arguments.dropFirst(), readFile: readFile)
    case "auth":
      return try reader.auth(arguments.dropFirst(), readFile: readFile)
    case "health":
      return try reader.health(arguments.dropFirst(), readFile: readFile)
    case "watch":
      return try reader.watch(arguments.dropFirst())
    case "changes":
      return try reader.changes(arguments.dropFirst())
    case "send":
      return try reader.send(arguments.dropFirst())
    case "new":
      return try reader.new(arguments.dropFirst())
    case "defaults" where arguments.count == 1:
      return .print(String(table.defaultFile.dropLast()))
    case "--help", "-h":
      return .print(SettingsTable.overview)
    case "--version":
      return .print(ServiceVersion.line)
    case "defaults":
      throw .usage("'reactord defaults' takes no arguments")
    case _ where command.hasPrefix("-"):
      throw .usage("unknown flag \(command); flags of the daemon follow 'reactord serve'")
    default:
      throw .unknown("command", command, among: commands)
    }
  }

  private static let commands = [
    "serve", "log", "quarantine", "auth", "health", "watch", "changes", "send", "new", "defaults",
  ]
}

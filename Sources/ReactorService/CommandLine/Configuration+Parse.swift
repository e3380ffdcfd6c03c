extension Configuration {
  /// Reads a command line, the environment and the file that they name.
  ///
  /// It is pure but for `readFile`, which is called at most once. A flag wins over the environment,
  /// the environment over the file, the file over the default; of a flag given twice the last wins.
  ///
  /// - Parameters:
  ///   - arguments: the command line without the name of the program.
  ///   - environment: the environment; of it only what begins with `REACTORD_` is looked at.
  ///   - readFile: gives the bytes of a file, or says why it cannot.
  ///   - settings: settings beside the service's own.
  /// - Returns: what is asked for.
  /// - Throws: exit code 64 for a wrong command line, 78 for a wrong value, key or file.
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
    case "health":
      return try reader.health(arguments.dropFirst(), readFile: readFile)
    case "watch":
      return try reader.watch(arguments.dropFirst())
    case "send":
      return try reader.send(arguments.dropFirst())
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
      throw .usage("unknown command \"\(command)\"; see 'reactord --help'")
    }
  }
}

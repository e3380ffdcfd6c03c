/// The arguments of a command that talks to a running daemon: words, and flags anywhere among them.
struct ClientArguments {
  /// What stands there without a flag, in order.
  private(set) var words: [String] = []

  /// The flags that are given, with their values; those that take none have an empty one.
  private(set) var flags: [String: String] = [:]

  /// What to print instead of doing anything.
  private(set) var text: String?

  /// Reads arguments; what follows `--` is no flag.
  init(
    _ arguments: ArraySlice<String>, bare: [String], valued: [String]
  ) throws(ConfigurationError) {
    var rest = arguments
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        return
      }
      // A number may begin with the same sign, and one alone stands for standard input.
      guard argument.hasPrefix("--") || ["-h"].contains(argument) else {
        words.append(argument)
        continue
      }
      switch argument {
      case "--help", "-h": text = SettingsTable.overview
      case "--version": text = ServiceVersion.line
      case _ where bare.contains(argument): flags[argument] = ""
      case _ where valued.contains(argument):
        guard let value = rest.popFirst() else { throw .usage("\(argument) needs a value") }
        flags[argument] = value
      default: throw .usage("unknown flag \(argument)")
      }
      if text != nil { return }
    }
  }
}

/// The arguments of a client command: words, with flags in any position.
struct ClientArguments {
  /// The arguments that are not flags, in order.
  private(set) var words: [String] = []

  /// The values of the flags; empty for a flag without a value.
  private(set) var flags: [String: String] = [:]

  /// The text to print if `--help` or `--version` is present.
  private(set) var text: String?

  /// Parses arguments; those after `--` are not flags.
  init(
    _ arguments: ArraySlice<String>, bare: [String], valued: [String]
  ) throws(ConfigurationError) {
    var rest = arguments
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        return
      }
      // A negative number is an action, and `-` is standard input.
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

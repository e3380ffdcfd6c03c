internal import ReactorHTTP
internal import TerminalClient

/// The arguments of a client command: words, with flags in any position.
struct ClientArguments {
  /// The arguments that are not flags, in order.
  private(set) var words: [String] = []

  /// The values of the flags; empty for a flag without a value.
  private(set) var flags: [String: String] = [:]

  /// The values of `--header`.
  private var headers: [String] = []

  /// The text to print if `--help` or `--version` is present.
  private(set) var text: String?

  /// Parses arguments; those after `--` are not flags.
  ///
  /// A client of a service has the flags `--token FILE` and `--header NAME: VALUE`, which can be repeated.
  init(
    _ arguments: ArraySlice<String>, bare: [String], valued: [String], isClient: Bool = false
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
      case _ where valued.contains(argument), _ where isClient && Self.client.contains(argument):
        guard let value = rest.popFirst() else { throw .usage("\(argument) needs a value") }
        if argument == "--header" { headers.append(value) } else { flags[argument] = value }
      default:
        let known = bare + valued + (isClient ? Self.client : []) + ["--help", "--version"]
        throw .usage("unknown flag \(argument)\(Spelling.hint(for: argument, among: known))")
      }
      if text != nil { return }
    }
  }

  private static let client = ["--token", "--header"]

  /// Returns the header fields of the requests of a client.
  func fields() throws(ConfigurationError) -> RequestFields {
    do throws(RequestFields.SyntaxError) {
      return try RequestFields(tokenFile: flags["--token"], headers: headers)
    } catch {
      throw .usage(error.description)
    }
  }
}

import ReactorService

/// A command line with its environment and files in memory.
struct CommandLineCase {
  var arguments: [String] = []
  var environment: [String: String] = [:]
  var files: [String: String] = [:]
  var settings: [Setting] = []

  func parse() throws(ConfigurationError) -> Invocation {
    try Configuration.parse(
      arguments: arguments, environment: environment,
      readFile: { path throws(FileProblem) in
        guard let text = files[path] else {
          throw FileProblem(reason: "No such file or directory")
        }
        return Array(text.utf8)
      },
      settings: settings)
  }

  /// The configuration of `serve`.
  func configuration() throws -> Configuration {
    switch try parse() {
    case .serve(let configuration, _): configuration
    default: throw ConfigurationError(message: "not a serve command", exitCode: 0)
    }
  }

  /// The printed text.
  func text() throws -> String? {
    if case .print(let text) = try parse() { text } else { nil }
  }

  /// The error of parsing, or `nil` if there is none.
  func error() -> ConfigurationError? {
    do {
      _ = try parse()
      return nil
    } catch {
      return error
    }
  }
}

extension CommandLineCase {
  /// `serve` with these flags.
  init(serve flags: String...) {
    arguments = ["serve"] + flags
  }

  /// `serve` with this text as its file.
  init(file: String, environment: [String: String] = [:]) {
    arguments = ["serve", "--config", "reactord.json5"]
    self.environment = environment
    files = ["reactord.json5": file]
  }
}

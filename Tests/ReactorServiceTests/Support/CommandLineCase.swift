import ReactorService

/// A command line with the world around it, all of it in memory.
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

  /// What `serve` would run with.
  func configuration() throws -> Configuration {
    switch try parse() {
    case .serve(let configuration, _): configuration
    default: throw ConfigurationError(message: "this does not serve", exitCode: 0)
    }
  }

  /// What is printed.
  func text() throws -> String? {
    if case .print(let text) = try parse() { text } else { nil }
  }

  /// Why it is refused, `nil` when it is not.
  func refusal() -> ConfigurationError? {
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

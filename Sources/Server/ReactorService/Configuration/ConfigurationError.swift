internal import ReactorHTTP
internal import TerminalClient

/// The reason the daemon does not start: one line for the operator, and the exit code.
public struct ConfigurationError: Error, Equatable {
  /// The place and the reason, without the name of the program and without a full stop.
  public let message: String

  /// The exit code of the process, from `sysexits.h`.
  public let exitCode: Int32

  /// Whether a retry can succeed: another process uses the store, or its database is not available.
  let isTemporary: Bool

  /// Lines to print below the message; empty for most errors.
  let usage: String

  /// Creates an error.
  public init(message: String, exitCode: Int32) {
    self.init(message: message, exitCode: exitCode, isTemporary: false)
  }

  init(message: String, exitCode: Int32, isTemporary: Bool, usage: String = "") {
    self.message = message
    self.exitCode = exitCode
    self.isTemporary = isTemporary
    self.usage = usage
  }

  init(_ failure: CommandFailure) {
    self.init(message: failure.message, exitCode: failure.exitCode)
  }

  /// Returns the error for an invalid command line: EX_USAGE.
  static func usage(_ message: String, help: String = "") -> ConfigurationError {
    ConfigurationError(message: message, exitCode: 64, isTemporary: false, usage: help)
  }

  /// Returns the error for a word that is not one of those known, with the most similar of them.
  static func unknown(
    _ kind: String, _ word: String, among known: [String]
  ) -> ConfigurationError {
    let hint = Spelling.hint(for: word, among: known)
    return .usage(
      "unknown \(kind) \"\(word)\"" + (hint.isEmpty ? "; see 'reactord --help'" : hint))
  }

  /// Returns the error for an invalid setting or configuration file: EX_CONFIG.
  static func configuration(_ message: String) -> ConfigurationError {
    ConfigurationError(message: message, exitCode: 78)
  }

  /// Returns the error for an invalid setting that the program declares: EX_SOFTWARE.
  static func declaration(_ name: String) -> ConfigurationError {
    ConfigurationError(
      message: "the setting \"\(name)\" is declared twice or under an invalid name",
      exitCode: 70)
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

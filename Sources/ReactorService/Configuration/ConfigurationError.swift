/// Why the daemon does not start: one line for its operator, and how the process ends.
public struct ConfigurationError: Error, Equatable {
  /// What is wrong and where, without the name of the program and without a full stop.
  public let message: String

  /// The exit code of the process, from `sysexits.h`.
  public let exitCode: Int32

  /// Whether trying again may help: another process is in the way.
  let isTemporary: Bool

  /// Lines to print below the message, each with its end; empty for most errors.
  let usage: String

  /// Makes an error.
  public init(message: String, exitCode: Int32) {
    self.init(message: message, exitCode: exitCode, isTemporary: false)
  }

  init(message: String, exitCode: Int32, isTemporary: Bool, usage: String = "") {
    self.message = message
    self.exitCode = exitCode
    self.isTemporary = isTemporary
    self.usage = usage
  }

  /// The command line is wrong: EX_USAGE.
  static func usage(_ message: String, help: String = "") -> ConfigurationError {
    ConfigurationError(message: message, exitCode: 64, isTemporary: false, usage: help)
  }

  /// A setting is wrong, or the file is: EX_CONFIG.
  static func configuration(_ message: String) -> ConfigurationError {
    ConfigurationError(message: message, exitCode: 78)
  }

  /// The program itself declared a setting that cannot be: EX_SOFTWARE.
  static func declaration(_ name: String) -> ConfigurationError {
    ConfigurationError(
      message: "the setting \"\(name)\" is declared twice or under a name that cannot be",
      exitCode: 70)
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

/// The failure of a command: one line for standard error and the exit code of the process.
public struct CommandFailure: Error, Equatable {
  /// The reason, without the name of the program and without a full stop.
  public let message: String

  /// The exit code, from `sysexits.h`.
  public let exitCode: Int32

  /// Creates a failure.
  package init(_ message: String, exitCode: Int32) {
    self.message = message
    self.exitCode = exitCode
  }

  /// The server cannot be reached: EX_UNAVAILABLE.
  static func unavailable(_ message: String) -> CommandFailure {
    CommandFailure(message, exitCode: 69)
  }

  /// The server rejected the request, or has nothing to show.
  static func rejected(_ message: String) -> CommandFailure {
    CommandFailure(message, exitCode: 1)
  }
}

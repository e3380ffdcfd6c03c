/// The reason a file cannot be read.
public struct FileProblem: Error, Equatable {
  /// The reason, usually a message of the system.
  public let reason: String

  /// Creates a problem.
  public init(reason: String) {
    self.reason = reason
  }
}

/// Why a file could not be read.
public struct FileProblem: Error, Equatable {
  /// The reason in the words of the system.
  public let reason: String

  /// Makes a problem of a reason.
  public init(reason: String) {
    self.reason = reason
  }
}

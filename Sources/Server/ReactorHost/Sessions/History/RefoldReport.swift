/// The result of folding a session's log again.
public struct RefoldReport: Equatable, Sendable {
  /// The number of mutations that were folded.
  public var mutations = 0

  /// The number of snapshots that were compared.
  public var snapshots = 0

  /// The first difference between two folds, or `nil` if the reactor is pure.
  public var impurity: Impurity?

  /// The errors of the log, one line each.
  public var findings: [String] = []

  /// Creates a report without findings.
  public init() {}
}

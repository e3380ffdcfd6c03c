/// What folding a session's log anew has shown.
public struct RefoldReport: Equatable, Sendable {
  /// How many mutations were folded.
  public var mutations = 0

  /// How many snapshots were compared.
  public var snapshots = 0

  /// What is wrong, each in one line; nothing where all is well.
  public var findings: [String] = []

  /// Makes a report without findings.
  public init() {}
}

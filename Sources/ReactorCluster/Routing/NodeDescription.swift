/// The description of a process for other nodes.
public struct NodeDescription: Equatable, Sendable {
  /// The release of the service.
  public var release: String

  /// The number of sessions in the memory of the process.
  public var sessions: Int

  /// Creates a description.
  public init(release: String, sessions: Int) {
    self.release = release
    self.sessions = sessions
  }
}

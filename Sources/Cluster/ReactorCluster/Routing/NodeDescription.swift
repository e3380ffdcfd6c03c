/// The description of a process for other nodes.
package struct NodeDescription: Equatable, Sendable {
  /// The release of the service.
  package var release: String

  /// The number of sessions in the memory of the process.
  package var sessions: Int

  /// Creates a description.
  package init(release: String, sessions: Int) {
    self.release = release
    self.sessions = sessions
  }
}

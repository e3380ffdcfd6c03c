internal import ReactorLog

/// Creates the sessions that streams show and that do not exist yet, when a global changes.
///
/// A stream creates no session. Setting a global is a write, and reaches the sessions that clients
/// look at as well as those that exist.
final class GlobalFollower: SessionObserver {
  private let reactors: [ReactorRuntime]

  init(_ reactors: [ReactorRuntime]) {
    self.reactors = reactors
  }

  func sessionDidCommit(_ state: CommittedState) {
    for reactor in reactors { reactor.createStreamedSessions() }
  }

  func sessionDidEnd(_ end: SessionEnd) {}
}

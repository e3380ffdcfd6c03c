internal import ReactorLog

/// Creates the sessions that have streams but do not exist yet, when a global is set.
///
/// A stream does not create its session. Setting a global is a write: it creates the sessions that
/// have streams, so that they receive the value. The thread that sets it does not wait for them.
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

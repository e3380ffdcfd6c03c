import ReactorHost

/// An observer that records its notifications.
final class Watcher: SessionObserver {
  let seen = Recorder<String>()

  func sessionDidCommit(_ state: CommittedState) {
    seen.add(state.words)
  }

  func sessionDidEnd(_ end: SessionEnd) {
    seen.add("\(end)")
  }
}

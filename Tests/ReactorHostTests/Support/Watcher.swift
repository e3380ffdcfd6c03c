import ReactorHost

/// An observer that records what it is told.
final class Watcher: SessionObserver {
  let told = Recorder<String>()

  func sessionDidCommit(_ state: CommittedState) {
    told.add(state.words)
  }

  func sessionDidEnd(_ end: SessionEnd) {
    told.add("\(end)")
  }
}

internal import ReactorLog
internal import Synchronization

/// A turn of a session that takes a snapshot, if one is due.
struct SnapshotTurn: Sendable {
  let session: LiveSession

  /// Enqueues the turn.
  ///
  /// The snapshot is saved when its version is committed, so that a session that is never idle gets
  /// its snapshots as well.
  func enqueue() {
    assert(!CompletionThread.isCurrent, "A snapshot delays the commits of all sessions.")
    session.enqueue {
      let environment = session.environment
      let interval = environment.settings.snapshotInterval
      guard let version = session.commits.withLock({ $0.beginSnapshot(interval: interval) }),
        let state = environment.witness.encodeFolded(session.pipeline)
      else { return }
      let snapshot = Snapshot(
        version: version, state: state, schema: environment.witness.schema())
      if session.commits.withLock({ $0.add(snapshot) }) {
        session.log.save(snapshot, of: session.epoch)
      }
    }
  }
}

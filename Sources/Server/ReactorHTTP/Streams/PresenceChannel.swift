internal import ReactorHost
internal import ReactorTransport
internal import Synchronization

/// The subscribers of one session, encoded once for all streams that send them.
final class PresenceChannel: NoticeChannel, PresenceObserver {
  /// One state of the subscribers.
  final class Update: Sendable {
    /// The revision of the session's presence.
    let revision: Int
    let notice: StreamNotice

    init(_ update: PresenceUpdate) {
      revision = update.revision
      notice = StreamNotice("presence", PresenceText.json(of: update.eventPage))
    }
  }

  let session: any SessionSource
  let group = StreamGroup()
  private let state = Mutex<Update?>(nil)

  init(_ session: any SessionSource) {
    self.session = session
  }

  func start() {
    session.observePresence(self)
  }

  func stop() {
    session.stopObservingPresence(self)
  }

  /// The latest update, or `nil` until the session has notified the channel.
  var latest: Update? {
    state.withLock { $0 }
  }

  func presenceDidChange(_ update: PresenceUpdate) {
    let update = Update(update)
    state.withLock { $0 = update }
    group.wake()
  }
}

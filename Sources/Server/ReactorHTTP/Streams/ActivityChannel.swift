internal import ReactorTransport
internal import ReactorCoding
internal import ReactorHost
internal import Synchronization

/// The activity of one session's effects, for all streams that send it; only the latest is stored.
final class ActivityChannel: NoticeChannel, ActivityObserver {
  /// One state of the activity.
  struct Update: Sendable {
    /// The number of the update in its channel; a later one is greater.
    let number: Int
    let activity: SessionActivity

    /// The update of a global, which has no effects.
    static let none = Update(number: 0, activity: SessionActivity())

    /// The data of the event.
    var json: [UInt8] {
      (try? JSONCoder.encode(activity)) ?? Array("{}".utf8)
    }
  }

  let session: any SessionSource
  let group = StreamGroup()
  private let state: Mutex<Update>

  init(_ session: any SessionSource) {
    self.session = session
    state = Mutex(Update(number: 1, activity: session.activity))
  }

  func start() {
    session.observeActivity(self)
  }

  func stop() {
    session.stopObservingActivity(self)
  }

  var latest: Update {
    state.withLock { $0 }
  }

  func activityDidChange(_ activity: SessionActivity) {
    let isChange = state.withLock { latest in
      guard latest.activity != activity else { return false }
      latest = Update(number: latest.number + 1, activity: activity)
      return true
    }
    if isChange { group.wake() }
  }
}

internal import ReactorCoding
internal import ReactorHost
internal import Synchronization

/// What goes on in one session, for all streams that show it: only the latest counts.
final class ActivityChannel: ActivityObserver {
  /// What a client is told.
  struct News: Sendable {
    /// Counts what was told on this channel.
    let number: Int
    let activity: SessionActivity

    /// What a global's clients are told: nothing ever runs there.
    static let none = News(number: 0, activity: SessionActivity())

    /// The data of the event.
    var json: [UInt8] {
      (try? JSONCoder.encode(activity)) ?? Array("{}".utf8)
    }
  }

  let session: any Session
  /// The streams that show the activity, woken when it is another one.
  let group = StreamGroup()
  private let state: Mutex<News>

  init(_ session: any Session) {
    self.session = session
    state = Mutex(News(number: 1, activity: session.activity))
  }

  /// Begins to listen.
  ///
  /// Whoever made the channel calls this once, holding no lock.
  func start() {
    session.observeActivity(self)
  }

  func stop() {
    session.stopObservingActivity(self)
  }

  /// What is to be told now.
  var latest: News {
    state.withLock { $0 }
  }

  func activityDidChange(_ activity: SessionActivity) {
    let isNews = state.withLock { news in
      guard news.activity != activity else { return false }
      news = News(number: news.number + 1, activity: activity)
      return true
    }
    if isNews { group.wake() }
  }
}

internal import ReactorHost
internal import Synchronization

/// The events of one session in one view: made once a version, whoever watches.
final class EventChannel: SessionObserver {
  private struct State {
    var buffer: EventBuffer
    /// The state that the first event follows, until there is one.
    var base: CommittedState?
    /// What the latest event shows, where the view is a part of the state.
    var shown: [UInt8]?
    var end: SessionEnd?
  }

  let session: any Session
  let view: StreamView
  /// The streams that show this channel, woken when it has news.
  let group = StreamGroup()
  private let bound: Int
  private let state: Mutex<State>

  init(_ session: any Session, _ view: StreamView, bound: Int) {
    self.session = session
    self.view = view
    self.bound = bound
    state = Mutex(State(buffer: EventBuffer(bound: bound, version: -1)))
  }

  /// Begins to listen.
  ///
  /// Whoever made the channel calls this once, before anyone else has it.
  func start() {
    // The lock is held around the call, so that a commit finds here what it follows; observing
    // takes the session's own lock and calls nobody.
    state.withLock { state in
      guard let base = session.observe(self) else {
        // Over already. A client that comes back learns how it stands.
        state.end = .interrupted
        return
      }
      state.base = base
      state.buffer = EventBuffer(bound: bound, version: base.version)
    }
  }

  func stop() {
    session.stopObserving(self)
  }

  func sessionDidCommit(_ committed: CommittedState) {
    let json = view.json(of: committed)
    guard isNews(json) else {
      return state.withLock { $0.buffer.advance(to: committed.version) }
    }
    let event = EventBuffer.Event(
      version: committed.version, chunk: StreamChunk(EventText.state(committed.cursor, json)))
    state.withLock { state in
      state.buffer.append(event)
      state.base = nil
      if view.pointer != nil { state.shown = Array(json) }
    }
    group.wake()
  }

  /// Whether something else was shown before.
  ///
  /// Commits are told one after the other.
  private func isNews(_ json: ArraySlice<UInt8>) -> Bool {
    guard view.pointer != nil else { return true }
    let (shown, base) = state.withLock { ($0.shown, $0.base) }
    guard let previous = shown.map({ $0[...] }) ?? base.map({ view.json(of: $0) }) else {
      return true
    }
    return previous != json
  }

  func sessionDidEnd(_ end: SessionEnd) {
    state.withLock { $0.end = end }
    group.wake()
  }

  /// How the session ended, where it has.
  var end: SessionEnd? {
    state.withLock { $0.end }
  }

  /// What a subscriber gets that has seen everything up to a version; and whether, after that, the
  /// session has ended.
  func next(after seen: Int) -> (EventBuffer.Next, end: SessionEnd?) {
    state.withLock { ($0.buffer.next(after: seen), $0.end) }
  }
}

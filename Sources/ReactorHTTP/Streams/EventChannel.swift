internal import ReactorHost
internal import Synchronization

/// The events of one session in one view: made once a version, whoever watches.
final class EventChannel: SessionObserver {
  private struct State {
    var buffer: EventBuffer
    var shown: [UInt8]?
    var end: SessionEnd?
  }

  let session: any Session
  let view: StreamView
  /// The streams that show this channel, woken when it has news.
  let group = StreamGroup()
  private let state: Mutex<State>

  init(_ session: any Session, _ view: StreamView, bound: Int) {
    self.session = session
    self.view = view
    state = Mutex(State(buffer: EventBuffer(bound: bound, version: -1)))
  }

  /// Begins to listen; whoever made the channel calls this once.
  func start(bound: Int) {
    // A commit may arrive before the base is known here, and then stands behind it.
    guard let base = session.observe(self) else {
      return state.withLock { $0.end = .deleted }
    }
    let shown = Array(view.json(of: base))
    state.withLock { state in
      if state.shown == nil { state.shown = shown }
      guard state.buffer.version < base.version else { return }
      state.buffer = EventBuffer(bound: bound, version: base.version)
    }
  }

  func stop() {
    session.stopObserving(self)
  }

  func sessionDidCommit(_ committed: CommittedState) {
    let json = view.json(of: committed)
    let isSame = view.pointer != nil && state.withLock { $0.shown.map { $0[...] == json } ?? false }
    let event =
      isSame
      ? nil
      : EventBuffer.Event(
        version: committed.version,
        chunk: StreamChunk(EventText.state(committed.cursor, json)))
    state.withLock { state in
      guard let event else { return state.buffer.advance(to: committed.version) }
      state.buffer.append(event)
      if view.pointer != nil { state.shown = Array(json) }
    }
    if event != nil { group.wake() }
  }

  func sessionDidEnd(_ end: SessionEnd) {
    state.withLock { $0.end = end }
    group.wake()
  }

  /// What a subscriber gets that has seen everything up to a version; and whether, after that, the
  /// session has ended.
  func next(after seen: Int) -> (EventBuffer.Next, end: SessionEnd?) {
    state.withLock { ($0.buffer.next(after: seen), $0.end) }
  }

  /// Whether a subscriber that wants every event can be served from here.
  func holdsAll(after seen: Int) -> Bool {
    state.withLock { $0.buffer.holdsAll(after: seen) }
  }
}

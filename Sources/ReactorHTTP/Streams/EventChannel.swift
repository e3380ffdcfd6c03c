internal import ReactorCoding
internal import ReactorHost
internal import Synchronization

/// The events of one session or global in one view: made once a version, whoever watches.
///
/// A stream of whole states is written as it comes. What takes more, a part or a patch, is made by
/// whoever brings the state while states are small, and by the worker pool where they are not: a
/// commit must not be held up. There the newest states replace those that wait too long, and an
/// event leaps over several versions.
final class EventChannel: SessionObserver {
  fileprivate struct State {
    var buffer: EventBuffer
    /// The state that the first event follows, until there is one.
    var base: CommittedState?
    /// What the latest event shows, where the next one depends on it.
    var shown: ArraySlice<UInt8>?
    /// States whose events are yet to be made.
    var waiting: [CommittedState] = []
    var waitingBytes = 0
    var isMaking = false
    var end: SessionEnd?
    /// Patches to the latest version, by the versions that they are from.
    var shortcuts: (target: Int, events: [Int: StreamEvent]) = (-1, [:])
  }

  /// States up to this size are compared and taken apart at once.
  static let smallSize = 8_192
  /// From how many versions patches to the latest one are kept.
  private static let shortcutBound = 16

  let source: any StateSource
  let view: StreamView
  /// The streams that show this channel, woken when it has news.
  let group = StreamGroup()
  private let bound: Int
  private let background: WorkerPool
  private let state: Mutex<State>
  /// The state that the latest patch leads to, for the next one.
  ///
  /// Only who makes events touches it.
  private let latest = Mutex<JSONDocument?>(nil)

  init(_ source: any StateSource, _ view: StreamView, bound: Int, background: WorkerPool) {
    self.source = source
    self.view = view
    self.bound = max(1, bound)
    self.background = background
    state = Mutex(State(buffer: EventBuffer(bound: bound, version: -1)))
  }

  /// Begins to listen.
  ///
  /// Whoever made the channel calls this once, before anyone else has it.
  func start() {
    // The lock is held around the call, so that a commit finds here what it follows; observing
    // takes the source's own lock and calls nobody.
    state.withLock { state in
      guard let base = source.observe(self) else {
        // Over already. A client that comes back learns how it stands.
        state.end = .interrupted
        return
      }
      state.base = view.isPlain ? nil : base
      state.buffer = EventBuffer(bound: bound, version: base.version)
    }
  }

  func stop() {
    source.stopObserving(self)
  }

  // MARK: Making events

  func sessionDidCommit(_ committed: CommittedState) {
    guard !view.isPlain else {
      let event = view.whole(
        committed.cursor, committed.json[...], follows: committed.version - 1)
      state.withLock { $0.buffer.append(event) }
      return group.wake()
    }
    let begins = state.withLock { state in
      state.add(committed, bound: bound)
      defer { state.isMaking = true }
      return !state.isMaking
    }
    guard begins else { return }
    if committed.json.count <= Self.smallSize {
      makeEvents()
    } else {
      background.run { [self] in makeEvents() }
    }
  }

  /// Makes the events of the states that wait.
  ///
  /// One thread at a time is here. Where more states have come meanwhile, they are left for another
  /// turn in the pool, so that others have theirs.
  private func makeEvents() {
    let (waiting, version, shown) = state.withLock { state in
      (state.takeWaiting(), state.buffer.version, state.shown ?? state.base.map(view.json))
    }
    var (followed, before) = (version, shown)
    var events: [StreamEvent?] = []
    for committed in waiting {
      let event = event(showing: committed, after: followed, before)
      events.append(event)
      followed = committed.version
      before = event?.shown ?? before
    }
    let (hasMore, hasNews) = state.withLock { state in
      for (committed, event) in zip(waiting, events) {
        if let event {
          state.buffer.append(event)
        } else {
          state.buffer.advance(to: committed.version)
        }
      }
      (state.shown, state.base, state.shortcuts) = (before, nil, (-1, [:]))
      state.isMaking = !state.waiting.isEmpty
      return (state.isMaking, events.contains { $0 != nil } || state.end != nil)
    }
    if hasNews { group.wake() }
    if hasMore { background.run { [self] in makeEvents() } }
  }

  /// The event of a state; `nil` where its part is the same as before.
  private func event(
    showing committed: CommittedState, after version: Int, _ before: ArraySlice<UInt8>?
  ) -> StreamEvent? {
    let json = view.json(of: committed)
    // Where versions are left out, those who want each one must notice.
    if view.pointer != nil, before == json, committed.version == version + 1 { return nil }
    guard view.sendsPatches, let before else {
      return view.whole(committed.cursor, json, follows: version)
    }
    return view.change(
      committed.cursor, json, follows: version, difference: difference(from: before, to: json))
  }

  /// The patch to a state, which the next one begins with.
  private func difference(from old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>) -> [UInt8] {
    latest.withLock { latest in
      let before = latest ?? (try? JSONDocument(parsing: Array(old)))
      latest = try? JSONDocument(parsing: Array(new))
      guard let before, let latest else {
        return JSONDifference.patch(from: Array(old), to: Array(new))
      }
      return JSONDifference.patch(from: before, to: latest)
    }
  }

  func sessionDidEnd(_ end: SessionEnd) {
    state.withLock { $0.end = end }
    group.wake()
  }

  // MARK: Reading

  /// How the session ended, where it has.
  var end: SessionEnd? {
    state.withLock { $0.end }
  }

  /// What a subscriber gets that has seen everything up to a version; and whether, after that, the
  /// session has ended.
  func next(after seen: Int) -> (EventBuffer.Next, end: SessionEnd?) {
    state.withLock { state in
      // Events that are being made come before the end.
      (state.buffer.next(after: seen), state.isMaking ? nil : state.end)
    }
  }

  /// The patch from some version to a later state, for one who has not seen what lies between.
  ///
  /// Made once for all who come from the same version.
  ///
  /// - Parameters:
  ///   - version: What the client has seen.
  ///   - target: Where the patch leads.
  ///   - json: What is shown there.
  ///   - before: What the client sees; called where it is not known yet.
  /// - Returns: The event; `nil` where nobody knows any more what the client sees.
  func shortcut(
    from version: Int, to target: Cursor, _ json: ArraySlice<UInt8>,
    before: () -> ArraySlice<UInt8>?
  ) -> StreamEvent? {
    let known = state.withLock { state in
      state.shortcuts.target == target.version ? state.shortcuts.events[version] : nil
    }
    if let known { return known }
    guard let before = before() else { return nil }
    let event = view.change(
      target, json, follows: version,
      difference: JSONDifference.patch(from: Array(before), to: Array(json)))
    state.withLock { state in
      if state.shortcuts.target < target.version { state.shortcuts = (target.version, [:]) }
      guard state.shortcuts.target == target.version,
        state.shortcuts.events.count < Self.shortcutBound
      else { return }
      state.shortcuts.events[version] = event
    }
    return event
  }
}

extension EventChannel.State {
  /// Adds a state whose event is to be made; of too many only the newest stays.
  fileprivate mutating func add(_ committed: CommittedState, bound: Int) {
    waiting.append(committed)
    waitingBytes += committed.json.count
    guard waiting.count > bound || waitingBytes > EventBuffer.byteBound else { return }
    waiting = [committed]
    waitingBytes = committed.json.count
  }

  fileprivate mutating func takeWaiting() -> [CommittedState] {
    defer { (waiting, waitingBytes) = ([], 0) }
    return waiting
  }
}

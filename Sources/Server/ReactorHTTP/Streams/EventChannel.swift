internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Shares
internal import Synchronization

/// The events of one session or global in one view, created once per version for all subscribers.
///
/// Events with whole States are created by the publishing thread. Events with parts and patches are
/// created there too while States are small, and in the worker pool otherwise, so that commits are
/// not delayed. If the pool falls behind, only the newest State remains pending, and its event spans
/// several versions.
final class EventChannel: SessionObserver {
  fileprivate struct State {
    var buffer: EventBuffer
    /// The State before the first event, or `nil` after it.
    var base: CommittedState?
    /// The JSON that the latest event leads to, if the next one depends on it.
    var shown: ArraySlice<UInt8>?
    /// The history of that JSON; see ``createEvents()``.
    var epoch = ""
    /// The event with which the latest stream of a large State began.
    var opening: StreamEvent?
    /// States without events yet.
    var pending: [CommittedState] = []
    var pendingBytes = 0
    /// Whether a thread is creating events.
    var isCreating = false
    var end: SessionEnd?
    /// Whether the channel retains nothing any more.
    var isInterrupted = false
    /// The bytes that are counted for the client; see ``EventChannel/retainedBytes``.
    var counted = 0
    /// Patches to the latest version by their base versions, for subscribers that were behind.
    var catchUps: (target: Int, bytes: Int, events: [Int: StreamEvent]) = (-1, 0, [:])
  }

  /// States up to this size are processed by the publishing thread, for the first views of a source.
  ///
  /// Each of these views retains the parsed State; larger ones are in the ``DocumentCache``.
  static let smallSize = DocumentCache.smallSize
  /// The maximum number of retained catch-up patches.
  private static let catchUpBound = 16

  let source: any StateSource
  let view: StreamView
  /// The streams of this channel, woken when there are new events.
  let group = StreamGroup()
  private let bound: Int
  private let background: WorkerPool
  private let documents: DocumentCache
  /// The owner of the channel's jobs in the worker pool.
  private let owner: WorkOwner
  /// The client whose stream has created the channel; what the channel retains counts for it.
  let account: Account?
  private let ledger: Ledger
  /// Called when the views of all clients must release bytes.
  private let mustRelease: @Sendable () -> Void
  /// Whether the source has so many views that this one must not delay its commits.
  private let isExtra: Bool
  private let state: Mutex<State>
  /// The parsed State that the latest patch leads to, if it is small.
  ///
  /// Only the thread that creates events uses it.
  private let latest = Mutex<JSONDocument?>(nil)
  /// The events in compressed form, of a channel with compressed streams.
  let blocks = Mutex(EventBlocks())

  /// Creates a channel.
  ///
  /// - Parameters:
  ///   - source: The session or global.
  ///   - view: The representation of its States.
  ///   - bound: The maximum number of events that are retained.
  ///   - background: Creates the events of large States.
  ///   - documents: The parsed States, shared by all channels.
  ///   - client: The client whose stream creates the channel.
  ///   - ledger: Counts the retained bytes.
  ///   - isExtra: Whether the source has so many views that this one must not delay its commits.
  ///   - mustRelease: Called when the views of all clients must release bytes, on any thread.
  init(
    _ source: any StateSource, _ view: StreamView, bound: Int, background: WorkerPool,
    documents: DocumentCache, client: WorkOwner, ledger: Ledger, isExtra: Bool,
    mustRelease: @escaping @Sendable () -> Void
  ) {
    self.source = source
    self.view = view
    self.bound = max(1, bound)
    self.background = background
    self.documents = documents
    // The first views are shared by many clients: those of one source take turns with other sources.
    owner = isExtra ? client : .source(ObjectIdentifier(source))
    account = client.account
    self.ledger = ledger
    self.mustRelease = mustRelease
    self.isExtra = isExtra
    state = Mutex(State(buffer: EventBuffer(bound: bound, byteBound: 0, version: -1)))
  }

  deinit {
    ledger.release(.views, state.withLock { $0.counted }, of: account)
  }

  /// The maximum number of bytes of retained events, and of retained catch-up patches.
  private var byteBound: Int {
    isExtra ? EventBuffer.extraByteBound : EventBuffer.byteBound
  }

  /// Begins to observe the source.
  ///
  /// Called once by the creator, before the channel is shared.
  func start() {
    // The lock is held during the call, so that a commit that follows finds `base`. Observing makes no
    // callback, see `StateSource.observe(_:)`.
    state.withLock { state in
      guard let base = source.observe(self) else {
        // The source has ended. A client that reconnects gets the reason.
        state.end = .interrupted
        return
      }
      state.base = view.isPlain ? nil : base
      state.epoch = base.cursor.epoch
      state.buffer = EventBuffer(bound: bound, byteBound: byteBound, version: base.version)
      count(&state)
    }
  }

  func stop() {
    source.stopObserving(self)
  }

  // MARK: Creating events

  func sessionDidCommit(_ committed: CommittedState) {
    guard !view.isPlain else {
      state.withLock { state in
        guard !state.isInterrupted else { return }
        // The event spans several versions if earlier ones of the batch were reduced before the
        // channel observed the session: these are not published.
        state.buffer.append(
          view.whole(committed.cursor, committed.json[...], follows: state.buffer.version))
        state.opening = nil
        count(&state)
      }
      relieveMemory()
      return group.wake()
    }
    let isFirst = state.withLock { state in
      guard !state.isInterrupted else { return false }
      state.add(committed, bound: bound)
      count(&state)
      defer { state.isCreating = true }
      return !state.isCreating
    }
    guard isFirst else { return }
    if committed.json.count <= Self.smallSize, !isExtra {
      createEvents()
    } else {
      background.enqueue(for: owner) { [self] in createEvents() }
    }
  }

  /// Creates the events of the pending States, on one thread at a time.
  ///
  /// States that arrive meanwhile are left for a new job in the pool, so that other channels get
  /// their turn.
  private func createEvents() {
    var (pending, version, shown) = ([CommittedState](), 0, ArraySlice<UInt8>?.none)
    state.withLock { state in
      (pending, version) = (state.takePending(), state.buffer.version)
      shown = state.shown ?? state.base.map(view.json)
      // A session that was created after its streams can have another history than they have shown: its
      // first State is sent whole.
      guard let epoch = pending.first?.cursor.epoch, epoch != state.epoch else { return }
      (state.epoch, shown) = (epoch, nil)
    }
    var (followed, before) = (version, shown)
    var events: [StreamEvent?] = []
    for committed in pending {
      let event = event(showing: committed, after: followed, before)
      events.append(event)
      followed = committed.version
      before = event?.shown ?? before
    }
    let (hasMore, wakes) = state.withLock { state in
      guard !state.isInterrupted else {
        state.isCreating = false
        return (false, true)
      }
      for (committed, event) in zip(pending, events) {
        if let event {
          state.buffer.append(event)
        } else {
          state.buffer.advance(to: committed.version)
        }
      }
      (state.shown, state.base, state.catchUps) = (before, nil, (-1, 0, [:]))
      state.opening = nil
      count(&state)
      state.isCreating = !state.pending.isEmpty
      return (state.isCreating, events.contains { $0 != nil } || state.end != nil)
    }
    relieveMemory()
    if wakes { group.wake() }
    if hasMore { background.enqueue(for: owner) { [self] in createEvents() } }
  }

  /// Creates the event of a State, or returns `nil` if the selected part has not changed, or no States are sent.
  private func event(
    showing committed: CommittedState, after version: Int, _ before: ArraySlice<UInt8>?
  ) -> StreamEvent? {
    guard view.sendsStates else { return nil }
    let json = view.json(of: committed)
    // An event that spans versions is sent even if unchanged: subscribers to every version need it.
    if view.skipsUnchanged, committed.version == version + 1,
      before?.hasSameBytes(as: json) == true
    {
      return nil
    }
    guard view.sendsDifferences, let before else {
      return view.whole(committed.cursor, json, follows: version)
    }
    return view.change(
      committed.cursor, from: before, to: json, follows: version,
      parsed: view.format == .changes ? nil : documents(before, json))
  }

  /// Parses two States; the new one is the old one of the next call.
  private func documents(
    _ old: ArraySlice<UInt8>, _ new: ArraySlice<UInt8>
  ) -> (old: JSONDocument, new: JSONDocument)? {
    latest.withLock { latest in
      if isExtra || new.count > Self.smallSize {
        latest = nil
        guard let old = documents.document(old), let new = documents.document(new, after: old)
        else { return nil }
        return (old, new)
      }
      let before = latest ?? (try? JSONDocument(parsing: Array(old)))
      latest = try? JSONDocument(parsing: Array(new))
      guard let before, let latest else { return nil }
      return (before, latest)
    }
  }

  func sessionDidEnd(_ end: SessionEnd) {
    state.withLock { $0.end = end }
    group.wake()
  }

  // MARK: Memory

  /// The bytes that the channel retains; what it shares with other channels counts for each.
  var retainedBytes: Int { state.withLock { $0.counted } }

  /// Counts the bytes that the channel retains for the client.
  private func count(_ state: inout State) {
    let difference = state.bytes - state.counted
    guard difference != 0 else { return }
    state.counted += difference
    ledger.take(.views, difference, for: account)
  }

  private func relieveMemory() {
    if ledger.mustRelease(.views) { mustRelease() }
  }

  /// Drops the events: streams that have not sent them continue with the latest State.
  func dropEvents() {
    state.withLock { state in
      state.buffer.removeAll()
      (state.opening, state.catchUps) = (nil, (-1, 0, [:]))
      if let latest = state.pending.last {
        (state.pending, state.pendingBytes) = ([latest], latest.json.count)
      }
      count(&state)
    }
  }

  /// Ends the streams of the channel, whose clients connect again, and retains nothing from now on.
  func interrupt() {
    state.withLock { state in
      state.isInterrupted = true
      state.end = state.end ?? .interrupted
      state.buffer.removeAll()
      (state.base, state.shown, state.opening, state.catchUps) = (nil, nil, nil, (-1, 0, [:]))
      _ = state.takePending()
      count(&state)
    }
    group.end()
  }

  // MARK: Reading

  /// Returns the event with a whole State, with which a stream begins.
  ///
  /// The event of a large State is shared by the streams that begin at the same version: those of
  /// clients that do not read hold no copies.
  func whole(_ cursor: Cursor, _ json: ArraySlice<UInt8>) -> StreamEvent {
    func create() -> StreamEvent { view.whole(cursor, json, follows: cursor.version - 1) }
    guard json.count > Self.smallSize, !isExtra else { return create() }
    if let known = knownWhole(at: cursor) { return known }
    let event = create()
    state.withLock { state in
      guard !state.isInterrupted else { return }
      state.opening = event
      count(&state)
    }
    return event
  }

  /// Returns the event with a whole State that another stream has begun with, or that was created
  /// with the commit, or `nil` if there is none.
  func knownWhole(at cursor: Cursor) -> StreamEvent? {
    state.withLock { state in
      if let opening = state.opening, opening.cursor == cursor { return opening }
      return state.buffer.newest.flatMap { $0.isWhole && $0.cursor == cursor ? $0 : nil }
    }
  }

  /// How the session ended, or `nil` while it has not.
  var end: SessionEnd? {
    state.withLock { $0.end }
  }

  /// Returns the next event after a version, and the end of the session if it follows.
  func next(after seen: Int) -> (EventBuffer.Next, end: SessionEnd?) {
    state.withLock { state in
      // Events that are being created precede the end.
      (state.buffer.next(after: seen), state.isCreating ? nil : state.end)
    }
  }

  /// Returns the patch from a version to a later State, for a subscriber that skips the versions
  /// between.
  ///
  /// The patch is shared by all subscribers at the same version.
  ///
  /// - Parameters:
  ///   - version: The subscriber's version.
  ///   - target: The cursor of the State.
  ///   - json: The JSON of the State in this view.
  ///   - before: Returns the JSON that the subscriber has; called only if the patch is not retained.
  /// - Returns: The event, or `nil` if the subscriber's JSON is not known.
  func catchUp(
    from version: Int, to target: Cursor, _ json: ArraySlice<UInt8>,
    before: () -> ArraySlice<UInt8>?
  ) -> StreamEvent? {
    let known = state.withLock { state in
      state.catchUps.target == target.version ? state.catchUps.events[version] : nil
    }
    if let known { return known }
    guard let before = before() else { return nil }
    let event = view.change(target, from: before, to: json, follows: version)
    state.withLock { state in
      if state.catchUps.target < target.version { state.catchUps = (target.version, 0, [:]) }
      guard !state.isInterrupted, state.catchUps.target == target.version,
        state.catchUps.events.count < Self.catchUpBound,
        state.catchUps.bytes + event.size <= byteBound
      else { return }
      state.catchUps.events[version] = event
      state.catchUps.bytes += event.size
      count(&state)
    }
    return event
  }
}

extension EventChannel.State {
  /// Adds a pending State; if there are too many, only the newest remains.
  fileprivate mutating func add(_ committed: CommittedState, bound: Int) {
    pending.append(committed)
    pendingBytes += committed.json.count
    guard pending.count > bound || pendingBytes > EventBuffer.byteBound else { return }
    pending = [committed]
    pendingBytes = committed.json.count
  }

  /// The bytes of the events, and of the States that the next events depend on.
  fileprivate var bytes: Int {
    var bytes = buffer.bytes + pendingBytes + catchUps.bytes + (opening?.size ?? 0)
    bytes += shown?.count ?? base?.json.count ?? 0
    return bytes
  }

  fileprivate mutating func takePending() -> [CommittedState] {
    defer { (pending, pendingBytes) = ([], 0) }
    return pending
  }
}

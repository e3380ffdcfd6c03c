internal import ReactorLog
internal import ReactorTransport
internal import ReactorCoding
internal import ReactorHost
internal import Shares
internal import Synchronization

/// One client's position in the events of a session or global: in a channel, or in the log while the
/// client catches up.
///
/// Pulled by a stream on the stream loop. Long work is executed in the worker pool, and wakes the
/// stream when it is complete.
final class EventSubscription: StreamFeed {
  /// The next output.
  enum Next {
    case event(StreamEvent)

    /// An event that is not a State.
    case notice(StreamNotice)

    /// No output until one of the groups is woken.
    case idle

    /// No more output.
    case ended(SessionEnd)

    /// The client sees another part of the States from now on, and begins again.
    case reset(StreamOpening)

    /// The client sees nothing from now on. No more output.
    case expired
  }

  /// The maximum number of States that are read from the log in one call.
  private static let replayStep = 64
  /// The approximate bytes of States that are read from the log in one call.
  private static let replayBytes = 262_144

  fileprivate struct State {
    /// The client's version.
    var seen: Int
    /// The client's representation if the next event depends on it, or `nil` if it is not known.
    var shown: ArraySlice<UInt8>?
    /// The reader of the log while a client that requested every version catches up.
    var replay: (any StateReplay)?
    var replayStep = EventSubscription.replayStep
    /// Events created for this client alone, and the version after them.
    var ready: ArraySlice<StreamEvent> = []
    var readyVersion: Int?
    /// The bytes of these events before the first one was sent.
    var readyBytes = 0
    /// The bytes of the State from which the log is folded, as a value and as JSON.
    var foldBytes = 0
    /// The bytes that are counted for the client; see ``EventSubscription/countedBytes``.
    var counted = 0
    /// Whether a job of this client is in the worker pool.
    var isWorking = false
    /// Whether the stream is closed.
    var isClosed = false
    /// Whether the versions that the client requested cannot be read.
    var hasFailed = false
    /// Whether the last output was an event other than a State: then a State has priority.
    var isAfterNotice = false
  }

  let channel: EventChannel
  private let channels: EventChannels
  private let owner: StreamOwner
  /// The client, whose work takes turns with that of others.
  private let client: WorkOwner
  private let wantsEveryVersion: Bool
  /// The earlier States as this client sees them, or `nil` if all clients see the same.
  private let history: ViewerHistory?
  /// The events that are not States, or `nil` if the client did not request any.
  private let notices: StreamNotices?
  /// The group that is woken after a job of this client, or `nil` if the client never needs a job.
  private let ownGroup: StreamGroup?
  private let state: Mutex<State>

  /// Creates a subscription.
  ///
  /// - Parameters:
  ///   - channel: The channel, which the subscription has joined.
  ///   - channels: The channels, which the subscription leaves when the stream is closed.
  ///   - owner: The owner of the stream, a subscriber of the source.
  ///   - client: The client.
  ///   - seen: The client's version after its opening.
  ///   - shown: The client's representation after its opening, if the view depends on it and it is
  ///     known.
  ///   - everyVersion: Whether every version is sent.
  ///   - replay: The reader of the versions after `seen`, or `nil` if the channel has them.
  ///   - history: The earlier States as this client sees them, or `nil` if all clients see the same.
  ///   - notices: The events that are not States, or `nil` if the client did not request any.
  init(
    _ channel: EventChannel, of channels: EventChannels, by owner: StreamOwner = .anonymous,
    client: WorkOwner = .streams, seen: Int, shown: ArraySlice<UInt8>?, everyVersion: Bool,
    replay: (any StateReplay)? = nil, history: ViewerHistory? = nil,
    notices: StreamNotices? = nil
  ) {
    self.channel = channel
    self.owner = owner
    self.client = client
    self.history = history
    self.notices = notices
    self.channels = channels
    wantsEveryVersion = everyVersion
    ownGroup = everyVersion || channel.view.sendsDifferences ? StreamGroup() : nil
    state = Mutex(State(seen: seen, shown: channel.view.isPlain ? nil : shown, replay: replay))
    guard everyVersion else { return }
    channels.add(self)
    state.withLock { state in
      state.foldBytes = 2 * channel.source.current.json.count
      count(&state)
    }
  }

  /// The groups that are woken when output can be available.
  var groups: [StreamGroup] {
    [channel.group, ownGroup].compactMap { $0 } + (notices?.groups ?? [])
  }

  /// The State that the client has seen last, if the next event depends on it.
  var retainedBytes: Int { state.withLock { $0.shown?.count ?? 0 } }

  // MARK: Memory

  /// The client for which the States of a history count.
  var account: Account? { client.account }

  /// The bytes that are retained for a client that requested every version: the State from which the log is
  /// folded, and the events that were read.
  var countedBytes: Int { state.withLock { $0.counted } }

  private func count(_ state: inout State) {
    let difference = (wantsEveryVersion ? state.bytes : 0) - state.counted
    guard difference != 0 else { return }
    state.counted += difference
    channels.ledger.take(.views, difference, for: account)
  }

  /// Retains nothing from now on.
  private func release(_ state: inout State) {
    (state.isClosed, state.replay, state.ready) = (true, nil, [])
    count(&state)
  }

  /// Ends the stream, whose client connects again, and retains nothing from now on.
  func interrupt() {
    state.withLock { state in
      state.hasFailed = true
      release(&state)
    }
    ownGroup?.end()
  }

  /// Leaves the channels and the source when the stream is closed.
  func close() {
    state.withLock { release(&$0) }
    if wantsEveryVersion { channels.remove(self) }
    channels.leave(channel)
    // Close the notices before the source removes the stream: the last stream with presence must
    // not cause a publication of its own end.
    notices?.close()
    channel.source.changeStreams(of: owner, by: -1)
  }

  /// Returns the next output and advances the position.
  func next() -> Next {
    guard let notices else { return nextEvent() }
    // States and other events alternate if there are both.
    if !state.withLock({ $0.isAfterNotice }), let notice = take(notices) { return notice }
    let next = nextEvent()
    if case .idle = next, let notice = take(notices) { return notice }
    state.withLock { $0.isAfterNotice = false }
    return next
  }

  private func take(_ notices: StreamNotices) -> Next? {
    guard let notice = notices.next() else { return nil }
    state.withLock { $0.isAfterNotice = true }
    return .notice(notice)
  }

  private func nextEvent() -> Next {
    while true {
      switch step() {
      case .event(let event):
        channels.counts.deliveries.add()
        return .event(event)
      case .wait: return .idle
      case .end(let end): return .ended(end)
      case .again: continue
      case .work(let work): background(work)
      case .read: readInTurn()
      }
    }
  }

  private enum Step {
    case event(StreamEvent)
    case wait
    case end(SessionEnd)
    case again
    case work(@Sendable () -> Void)
    /// The next States must be read from the log.
    case read
  }

  private enum Position {
    case ready(StreamEvent)
    case working
    case failed
    case inLog
    case inChannel(seen: Int)
  }

  private func step() -> Step {
    let position = state.withLock { state -> Position in
      if let event = state.ready.popFirst() {
        if state.ready.isEmpty {
          state.ready = []  // releases the events
          count(&state)
        }
        state.advance(over: event, retainsShown: !channel.view.isPlain)
        return .ready(event)
      }
      if let version = state.readyVersion.take() { state.seen = max(state.seen, version) }
      if state.hasFailed { return .failed }
      if state.isWorking { return .working }
      return state.replay == nil ? .inChannel(seen: state.seen) : .inLog
    }
    switch position {
    case .ready(let event): return .event(event)
    case .working: return .wait
    case .failed: return .end(channel.end ?? .interrupted)
    case .inLog: return .read
    case .inChannel(let seen): return stepInChannel(after: seen)
    }
  }

  private func stepInChannel(after seen: Int) -> Step {
    let (next, end) = channel.next(after: seen)
    switch next {
    case .event(let event) where wantsEveryVersion && event.spansVersions: return .read
    case .event(let event): return take(event)
    case .behind(let latest):
      if wantsEveryVersion { return .read }
      guard let latest else {
        channels.counts.conflations.add()
        return end.map { .end($0) } ?? .work { self.beginAgain() }
      }
      guard latest.version > seen else { return rest(end) }
      channels.counts.conflations.add()
      return channel.view.sendsDifferences ? catchUp(to: latest) : take(latest)
    case .upToDate(let version):
      state.withLock { $0.seen = max($0.seen, version) }
      return rest(end)
    }
  }

  private func rest(_ end: SessionEnd?) -> Step {
    end.map { .end($0) } ?? .wait
  }

  /// Sends an event of the channel, unless the selected part has not changed for the client.
  private func take(_ event: StreamEvent) -> Step {
    let isChange = state.withLock { state in
      let isChange = !channel.view.skipsUnchanged || !state.shows(event.shown)
      state.advance(over: event, retainsShown: !channel.view.isPlain)
      return isChange
    }
    return isChange ? .event(event) : .again
  }

  /// Sends a patch from the client's version to the latest State.
  private func catchUp(to latest: StreamEvent) -> Step {
    let (seen, shown) = state.withLock { ($0.seen, $0.shown) }
    if channel.view.skipsUnchanged, shown?.hasSameBytes(as: latest.shown) == true {
      return take(latest)
    }
    let create: @Sendable () -> StreamEvent = { [channel] in
      channel.catchUp(from: seen, to: latest.cursor, latest.shown, before: { shown })
        ?? channel.view.whole(latest.cursor, latest.shown, follows: seen)
    }
    guard latest.shown.count + (shown?.count ?? 0) > 2 * EventChannel.smallSize else {
      return take(create())
    }
    return .work { self.finish([create()], upTo: latest.version) }
  }

  // MARK: In the worker pool

  /// Continues with the latest State: the channel has dropped the events.
  private func beginAgain() {
    let (seen, shown) = state.withLock { ($0.seen, $0.shown) }
    let (view, current) = (channel.view, channel.source.current)
    let json = view.json(of: current)
    guard !view.skipsUnchanged || shown?.hasSameBytes(as: json) != true else {
      state.withLock { $0.shown = json }
      return finish([], upTo: current.version)
    }
    let difference =
      view.sendsDifferences
      ? channel.catchUp(from: seen, to: current.cursor, json, before: { shown }) : nil
    finish([difference ?? channel.whole(current.cursor, json)], upTo: current.version)
  }

  /// Executes work that ends with ``finish(_:upTo:)`` or ``fail()``, on any thread.
  private func background(_ work: @escaping @Sendable () -> Void) {
    state.withLock { $0.isWorking = true }
    channels.background.enqueue(for: client, work)
  }

  /// States that were read from the log.
  private typealias Page = (
    states: [CommittedState], replay: any StateReplay, seen: Int, shown: ArraySlice<UInt8>?
  )

  /// Creates the next events from the log, for a client that requested every version, in turn with the reads
  /// of other clients.
  private func readInTurn() {
    state.withLock { $0.isWorking = true }
    channels.background.start(for: client) { [self] in
      do throws(HistoryError) {
        let page = try await channels.reads.execute(for: client) { () throws(HistoryError) in
          try await readLog()
        }
        if let page { show(page) }
      } catch {
        fail()
      }
    }
  }

  /// Reads the next states, or returns `nil` if the stream is closed.
  private func readLog() async throws(HistoryError) -> Page? {
    let (isClosed, seen, reading, known, step) = state.withLock {
      ($0.isClosed, $0.seen, $0.replay, $0.shown, $0.replayStep)
    }
    guard !isClosed else { return nil }
    let replay: any StateReplay =
      if let reading { reading } else {
        try await channel.source.replay(after: seen < 0 ? nil : seen, as: history)
      }
    var shown = known
    // The client's representation is folded from the log for a client that has reconnected, unless the client may
    // have seen something else then.
    if !channel.view.isPlain, known == nil, seen >= 0, history == nil {
      shown = (try? await channel.source.state(at: seen)).map(channel.view.json)
    }
    return (try await replay.next(limit: step), replay, seen, shown)
  }

  private func show(_ page: Page) {
    let states = page.states
    let size = states.reduce(0) { $0 + $1.json.count } / max(1, states.count)
    let events = events(showing: states, after: page.seen, page.shown)
    state.withLock { state in
      guard !state.isClosed else { return }
      state.replay = states.isEmpty ? nil : page.replay
      state.foldBytes = 2 * (states.last?.json.count ?? 0)
      state.replayStep = max(1, min(Self.replayStep, Self.replayBytes / max(1, size)))
      state.shown = page.shown
    }
    finish(events, upTo: states.last?.version ?? page.seen)
  }

  /// Ends the stream because the next version cannot be read: the client reconnects, and starts
  /// again after a reset if the version is no longer retained.
  private func fail() {
    state.withLock { state in
      state.hasFailed = true
      state.isWorking = false
    }
    ownGroup?.wake()
  }

  private func events(
    showing states: [CommittedState], after seen: Int, _ shown: ArraySlice<UInt8>?
  ) -> [StreamEvent] {
    var events: [StreamEvent] = []
    var (follows, shown) = (seen, shown)
    let view = channel.view
    for committed in states {
      let json = view.json(of: committed)
      defer { follows = committed.version }
      if view.skipsUnchanged, shown?.hasSameBytes(as: json) == true { continue }
      if view.sendsDifferences, let before = shown {
        events.append(view.change(committed.cursor, from: before, to: json, follows: follows))
      } else {
        events.append(view.whole(committed.cursor, json, follows: follows))
      }
      if !view.isPlain { shown = json }
    }
    return events
  }

  private func finish(_ events: [StreamEvent], upTo version: Int) {
    state.withLock { state in
      state.isWorking = false
      guard !state.isClosed else { return }
      state.ready = events[...]
      state.readyBytes = wantsEveryVersion ? events.reduce(0) { $0 + $1.size } : 0
      state.readyVersion = version
      count(&state)
    }
    if wantsEveryVersion { channels.relieveMemory() }
    ownGroup?.wake()
  }
}

extension EventSubscription.State {
  /// The bytes that are retained to send every version.
  fileprivate var bytes: Int {
    (replay == nil ? 0 : foldBytes) + (ready.isEmpty ? 0 : readyBytes)
  }

  /// Whether the client has a representation.
  fileprivate func shows(_ json: ArraySlice<UInt8>) -> Bool {
    shown?.hasSameBytes(as: json) == true
  }

  /// Advances the position over an event that is sent.
  fileprivate mutating func advance(over event: StreamEvent, retainsShown: Bool) {
    seen = max(seen, event.version)
    if retainsShown { shown = event.shown }
  }
}

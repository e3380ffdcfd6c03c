internal import ReactorCoding
internal import ReactorHost
internal import Synchronization

/// One client's place in the events of a session or a global: a position in a channel, or in the log
/// while the client catches up.
///
/// A stream asks it for what comes next, on the thread that writes streams; what would hold that one
/// up is done in the worker pool, which wakes the stream when it is done.
final class Subscription: Sendable {
  /// What comes next.
  enum Next {
    case event(StreamEvent)

    /// What goes on in the session is another thing now.
    case activity(ActivityChannel.News)

    /// Nothing until one of the groups is woken.
    case idle

    /// Nothing more, and why.
    case ended(SessionEnd)
  }

  /// How many states are read from the log at once, while they are small.
  private static let replayStep = 64
  /// About how many bytes of states are read from the log at once.
  private static let replayBytes = 262_144

  fileprivate struct State {
    /// The version up to which the client has everything.
    var seen: Int
    /// What the client sees, where the next event depends on it; `nil` where it is not known yet.
    var shown: ArraySlice<UInt8>?
    /// Reads what is to be sent from the log; only for a client that wants every version.
    var replay: (any StateReplay)?
    var replayStep = Subscription.replayStep
    /// Events that were made for this client alone, and the version that is reached with them.
    var ready: ArraySlice<StreamEvent> = []
    var readyVersion: Int?
    /// Whether the worker pool is at work for this client.
    var isWorking = false
    /// Whether what the client wants is not kept any more.
    var hasFailed = false
    /// What of the activity the client was told last.
    var toldActivity = 0
    /// Whether that was the last thing it was told: then a state has its turn.
    var toldActivityLast = false
  }

  private let channel: EventChannel
  private let channels: EventChannels
  private let wantsEveryVersion: Bool
  private let activity: ActivityChannel?
  /// Woken when the worker pool has something for this client; only for one that may need it.
  private let ownGroup: StreamGroup?
  private let state: Mutex<State>

  /// Makes a subscription.
  ///
  /// - Parameters:
  ///   - channel: What it shows, which it has joined.
  ///   - channels: Where it leaves the channel when it is closed.
  ///   - seen: The version up to which the client has everything, once it was sent its opening.
  ///   - shown: What it sees then, where the view depends on it and it is known.
  ///   - everyVersion: Whether the client wants each version, however far behind it is.
  ///   - replay: Where the versions after it are read; `nil` where the channel has them.
  ///   - activity: What goes on in the session, which it has joined; `nil` where the client does not
  ///     want to know.
  ///   - toldActivity: What of it the client is told in its opening.
  init(
    _ channel: EventChannel, of channels: EventChannels, seen: Int, shown: ArraySlice<UInt8>?,
    everyVersion: Bool, replay: (any StateReplay)? = nil, activity: ActivityChannel? = nil,
    toldActivity: Int = 0
  ) {
    self.channel = channel
    self.activity = activity
    self.channels = channels
    wantsEveryVersion = everyVersion
    ownGroup = everyVersion || channel.view.sendsPatches ? StreamGroup() : nil
    var state = State(seen: seen, shown: channel.view.isPlain ? nil : shown, replay: replay)
    state.toldActivity = toldActivity
    self.state = Mutex(state)
  }

  /// The groups whose waking means that there may be something next.
  var groups: [StreamGroup] { [channel.group, ownGroup, activity?.group].compactMap { $0 } }

  /// The client has left.
  func close() {
    channels.leave(channel)
    if let activity { channels.leave(activity) }
  }

  /// What comes next for the client, which thereby has it.
  func next() -> Next {
    guard let activity else { return nextOfStates() }
    // One after the other, where there is news of both.
    let news = activity.latest
    let isTurn = state.withLock { $0.toldActivity < news.number && !$0.toldActivityLast }
    if !isTurn {
      let next = nextOfStates()
      guard case .idle = next, state.withLock({ $0.toldActivity < news.number }) else {
        state.withLock { $0.toldActivityLast = false }
        return next
      }
    }
    state.withLock { ($0.toldActivity, $0.toldActivityLast) = (news.number, true) }
    return .activity(news)
  }

  private func nextOfStates() -> Next {
    while true {
      switch step() {
      case .event(let event):
        channels.counts.deliveries.add()
        return .event(event)
      case .wait: return .idle
      case .end(let end): return .ended(end)
      case .again: continue
      case .work(let work): background(work)
      }
    }
  }

  private enum Step {
    case event(StreamEvent)
    case wait
    case end(SessionEnd)
    case again
    case work(@Sendable () -> Void)
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
        state.has(event, keepsShown: !channel.view.isPlain)
        return .ready(event)
      }
      if let version = state.readyVersion.take() { state.seen = max(state.seen, version) }
      if state.isWorking { return .working }
      if state.hasFailed { return .failed }
      return state.replay == nil ? .inChannel(seen: state.seen) : .inLog
    }
    switch position {
    case .ready(let event): return .event(event)
    case .working: return .wait
    case .failed: return .end(channel.end ?? .interrupted)
    case .inLog: return .work { self.readOn() }
    case .inChannel(let seen): return stepInChannel(after: seen)
    }
  }

  private func stepInChannel(after seen: Int) -> Step {
    let (next, end) = channel.next(after: seen)
    switch next {
    case .event(let event) where wantsEveryVersion && event.leaps: return .work { self.readOn() }
    case .event(let event): return take(event)
    case .behind(let latest):
      if wantsEveryVersion { return .work { self.readOn() } }
      guard let latest, latest.version > seen else { return rest(end) }
      channels.counts.conflations.add()
      return channel.view.sendsPatches ? leap(to: latest) : take(latest)
    case .upToDate(let version):
      state.withLock { $0.seen = max($0.seen, version) }
      return rest(end)
    }
  }

  private func rest(_ end: SessionEnd?) -> Step {
    end.map { .end($0) } ?? .wait
  }

  /// Sends an event of the channel, unless the client sees the same already.
  private func take(_ event: StreamEvent) -> Step {
    let isNews = state.withLock { state in
      let isNews = channel.view.pointer == nil || state.shown != event.shown
      state.has(event, keepsShown: !channel.view.isPlain)
      return isNews
    }
    return isNews ? .event(event) : .again
  }

  /// Sends a patch from what the client sees to the latest state.
  private func leap(to latest: StreamEvent) -> Step {
    let (seen, shown) = state.withLock { ($0.seen, $0.shown) }
    if channel.view.pointer != nil, shown == latest.shown { return take(latest) }
    let make: @Sendable () -> StreamEvent = { [channel] in
      channel.shortcut(from: seen, to: latest.cursor, latest.shown, before: { shown })
        ?? channel.view.whole(latest.cursor, latest.shown, follows: seen)
    }
    guard latest.shown.count + (shown?.count ?? 0) > 2 * EventChannel.smallSize else {
      return take(make())
    }
    return .work { self.finish([make()], upTo: latest.version) }
  }

  // MARK: In the worker pool

  private func background(_ work: @escaping @Sendable () -> Void) {
    state.withLock { $0.isWorking = true }
    channels.background.run { [self] in
      work()
      ownGroup?.wake()
    }
  }

  /// Makes the next events from the log, for a client that wants every version.
  private func readOn() {
    let (seen, known, reading, step) = state.withLock { state in
      (state.seen, state.shown, state.replay, state.replayStep)
    }
    do {
      let replay = try reading ?? channel.source.replay(after: seen < 0 ? nil : seen)
      // A client that comes back sees what it saw when it left, as long as the log knows.
      var shown = known
      if !channel.view.isPlain, shown == nil, seen >= 0 {
        shown = (try? channel.source.state(at: seen)).map(channel.view.json)
      }
      let recalled = shown
      let states = try replay.next(limit: step)
      let events = events(showing: states, after: seen, &shown)
      let size = states.reduce(0) { $0 + $1.json.count } / max(1, states.count)
      state.withLock { state in
        state.replay = states.isEmpty ? nil : replay
        state.replayStep = max(1, min(Self.replayStep, Self.replayBytes / max(1, size)))
        state.shown = recalled
      }
      finish(events, upTo: states.last?.version ?? seen)
    } catch {
      // What it wants next is not kept any more: the client begins again, as after any reset.
      state.withLock { state in
        state.hasFailed = true
        state.isWorking = false
      }
    }
  }

  private func events(
    showing states: [CommittedState], after seen: Int, _ shown: inout ArraySlice<UInt8>?
  ) -> [StreamEvent] {
    var events: [StreamEvent] = []
    var follows = seen
    let view = channel.view
    for committed in states {
      let json = view.json(of: committed)
      defer { follows = committed.version }
      if view.pointer != nil, shown == json { continue }
      if view.sendsPatches, let before = shown {
        events.append(
          view.change(
            committed.cursor, json, follows: follows,
            difference: JSONDifference.patch(from: Array(before), to: Array(json))))
      } else {
        events.append(view.whole(committed.cursor, json, follows: follows))
      }
      if !view.isPlain { shown = json }
    }
    return events
  }

  private func finish(_ events: [StreamEvent], upTo version: Int) {
    state.withLock { state in
      state.ready = events[...]
      state.readyVersion = version
      state.isWorking = false
    }
  }
}

extension Subscription.State {
  /// The client has an event.
  fileprivate mutating func has(_ event: StreamEvent, keepsShown: Bool) {
    seen = max(seen, event.version)
    if keepsShown { shown = event.shown }
  }
}

internal import ReactorHost
internal import Synchronization

/// One client's stream of a session: a position in its channel, or in the log while it catches up.
final class SubscriberStream: ByteStream {
  /// How many states are read from the log at once.
  private static let replayStep = 32

  private struct State {
    /// What is sent first, before anything else.
    var opening: StreamChunk?
    /// The version up to which the client has everything.
    var seen: Int
    /// Reads what is to be sent from the log; only for a client that wants every version.
    var replay: (any StateReplay)?
    /// States that were read from the log and not sent yet.
    var replayed: ArraySlice<CommittedState> = []
    /// The part as it was at `seen`, while a stream of a part reads from the log.
    var shown: [UInt8]?
    var hasSaidGoodbye = false
  }

  private let channel: EventChannel
  private let channels: EventChannels
  private let wantsEveryVersion: Bool
  private let state: Mutex<State>

  /// Makes a stream.
  ///
  /// - Parameters:
  ///   - channel: What it shows, which it has joined.
  ///   - channels: Where it leaves the channel when it is closed.
  ///   - opening: What is sent first.
  ///   - seen: The version up to which the client then has everything.
  ///   - everyVersion: Whether the client wants each version, however far behind it is.
  ///   - replay: Where the versions after it are read; `nil` where the channel has them.
  init(
    _ channel: EventChannel, of channels: EventChannels, opening: [UInt8], seen: Int,
    everyVersion: Bool, replay: (any StateReplay)? = nil
  ) {
    self.channel = channel
    self.channels = channels
    wantsEveryVersion = everyVersion
    state = Mutex(State(opening: StreamChunk(opening), seen: seen, replay: replay))
  }

  var groups: [StreamGroup] { [channel.group] }

  var heartbeat: StreamChunk? { EventText.heartbeat }

  func next() -> StreamOutput {
    if let opening = state.withLock({ $0.opening.take() }) { return .chunk(opening) }
    if state.withLock({ $0.hasSaidGoodbye }) { return .finished }
    if channels.isDraining { return goodbye(EventText.draining) }
    do {
      while true {
        if let chunk = try nextOfReplay() { return .chunk(chunk) }
        let seen = state.withLock { $0.seen }
        let (next, end) = channel.next(after: seen)
        switch next {
        case .event(let event): return show(event)
        case .behind(let latest):
          if wantsEveryVersion {
            try goBack(to: seen)
          } else if let latest {
            channels.counts.conflations.add()
            return show(latest)
          } else {
            return rest(after: end)
          }
        case .upToDate(let version):
          state.withLock { $0.seen = version }
          return rest(after: end)
        }
      }
    } catch {
      // What it wants next is not kept any more: the client begins again, as after any reset.
      return rest(after: channel.end ?? .interrupted)
    }
  }

  private func show(_ event: EventBuffer.Event) -> StreamOutput {
    state.withLock { $0.seen = event.version }
    channels.counts.deliveries.add()
    return .chunk(event.chunk)
  }

  /// What follows when everything was sent.
  private func rest(after end: SessionEnd?) -> StreamOutput {
    switch end {
    case .deleted: goodbye(EventText.end)
    case .interrupted: .finished
    case nil: .idle
    }
  }

  func closed() {
    channels.leave(channel)
  }

  private func goodbye(_ chunk: StreamChunk) -> StreamOutput {
    state.withLock { $0.hasSaidGoodbye = true }
    return .chunk(chunk)
  }

  // MARK: Every version

  /// Reads on from the log, for a client that has fallen out of what the channel has.
  private func goBack(to seen: Int) throws(HistoryError) {
    let replay = try channel.session.replay(after: seen)
    // Since the log was read the last time, the channel may have shown other values of the part.
    let shown: [UInt8]? =
      channel.view.pointer == nil
      ? nil : Array(channel.view.json(of: try channel.session.state(at: seen)))
    state.withLock { state in
      state.replay = replay
      state.shown = shown
    }
  }

  /// The next event from the log; `nil` where the channel has what follows.
  private func nextOfReplay() throws(HistoryError) -> StreamChunk? {
    while true {
      let (seen, replay, read) = state.withLock { state in
        (state.seen, state.replay, state.replayed.popFirst())
      }
      if let read {
        if let chunk = chunk(for: read) {
          channels.counts.deliveries.add()
          return chunk
        }
        continue
      }
      guard let replay else { return nil }
      try recallPart(at: seen)
      let states = try replay.next(limit: Self.replayStep)
      state.withLock { state in
        state.replayed = states[...]
        guard states.isEmpty else { return }
        (state.replay, state.shown) = (nil, nil)
      }
    }
  }

  /// Finds out what the client was shown of a part, with which the next version is compared.
  private func recallPart(at seen: Int) throws(HistoryError) {
    guard channel.view.pointer != nil, seen >= 0, state.withLock({ $0.shown == nil }) else {
      return
    }
    let shown = Array(channel.view.json(of: try channel.session.state(at: seen)))
    state.withLock { $0.shown = shown }
  }

  /// The event of a state that was read from the log; `nil` where the part that is streamed did not
  /// change.
  private func chunk(for read: CommittedState) -> StreamChunk? {
    let json = channel.view.json(of: read)
    let isNews = state.withLock { state in
      state.seen = read.version
      guard channel.view.pointer != nil else { return true }
      defer { state.shown = Array(json) }
      return state.shown.map { $0[...] != json } ?? true
    }
    return isNews ? StreamChunk(EventText.state(read.cursor, json)) : nil
  }
}

/// A stream that only tells its client to come back: for one that cannot be served now.
final class RetryStream: ByteStream {
  private let hint: Mutex<StreamChunk?>

  init() {
    hint = Mutex(StreamChunk(EventText.retry().utf8))
  }

  var groups: [StreamGroup] { [] }
  var heartbeat: StreamChunk? { nil }

  func next() -> StreamOutput {
    hint.withLock { $0.take() }.map { .chunk($0) } ?? .finished
  }

  func closed() {}
}

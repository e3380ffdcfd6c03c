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
  ///   - replay: Where the versions after it are read; `nil` for a client that wants the latest.
  init(
    _ channel: EventChannel, of channels: EventChannels, opening: [UInt8], seen: Int,
    replay: (any StateReplay)?
  ) {
    self.channel = channel
    self.channels = channels
    wantsEveryVersion = replay != nil
    state = Mutex(State(opening: StreamChunk(opening), seen: seen, replay: replay))
  }

  var groups: [StreamGroup] { [channel.group] }

  var heartbeat: StreamChunk? { EventText.heartbeat }

  func next() -> StreamOutput {
    if let opening = state.withLock({ $0.opening.take() }) { return .chunk(opening) }
    if state.withLock({ $0.hasSaidGoodbye }) { return .finished }
    if channels.isDraining { return goodbye(EventText.draining) }
    if wantsEveryVersion, let output = nextOfReplay() { return output }

    let seen = state.withLock { $0.seen }
    let (next, end) = channel.next(after: seen)
    switch next {
    case .event(let event):
      state.withLock { $0.seen = event.version }
      return .chunk(event.chunk)
    case .upToDate(let version):
      state.withLock { $0.seen = version }
      switch end {
      case .deleted: return goodbye(EventText.end)
      case .interrupted: return .finished
      case nil: return .idle
      }
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

  /// The next event from the log; `nil` where the channel has what follows.
  private func nextOfReplay() -> StreamOutput? {
    while true {
      let (seen, replay, queued) = state.withLock { state in
        (state.seen, state.replay, state.replayed.popFirst())
      }
      if let queued {
        if let event = event(queued) { return .chunk(event) }
        continue
      }
      do {
        guard let replay = try replay ?? resumedReplay(after: seen) else { return nil }
        try recallPart(at: seen)
        let states = try replay.next(limit: Self.replayStep)
        state.withLock { state in
          state.replayed = states[...]
          state.replay = states.isEmpty ? nil : replay
          if states.isEmpty { state.shown = nil }
        }
        if states.isEmpty { return nil }
      } catch {
        // What it wants next is not kept any more: the client begins again, as after any reset.
        return .finished
      }
    }
  }

  /// Goes back to the log for a client that has fallen out of the channel's buffer.
  private func resumedReplay(after seen: Int) throws(HistoryError) -> (any StateReplay)? {
    if channel.holdsAll(after: seen) { return nil }
    return try channel.session.replay(after: seen)
  }

  /// Finds out what the client was shown of a part, with which the next version is compared.
  private func recallPart(at seen: Int) throws(HistoryError) {
    guard channel.view.pointer != nil, seen >= 0, state.withLock({ $0.shown == nil }) else { return }
    let shown = Array(channel.view.json(of: try channel.session.state(at: seen)))
    state.withLock { $0.shown = shown }
  }

  /// The event of a version; `nil` where the part that is streamed did not change.
  private func event(_ committed: CommittedState) -> StreamChunk? {
    let json = channel.view.json(of: committed)
    let isSame = state.withLock { state in
      state.seen = committed.version
      guard channel.view.pointer != nil else { return false }
      if let shown = state.shown, shown[...] == json { return true }
      state.shown = Array(json)
      return false
    }
    return isSame ? nil : StreamChunk(EventText.state(committed.cursor, json))
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

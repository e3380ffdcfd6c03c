internal import ReactorHost
internal import ReactorTransport
internal import Synchronization

/// The position of one stream in the events other than States that it requested.
final class StreamNotices: Sendable {
  /// The kinds that a stream can request.
  struct Kinds: OptionSet, Sendable {
    let rawValue: Int

    /// The number and progress of effects.
    static let activity = Kinds(rawValue: 1)

    /// The subscribers.
    static let presence = Kinds(rawValue: 2)

    /// The signals that clients publish.
    static let signals = Kinds(rawValue: 4)
  }

  private struct State {
    /// The number of the last activity update that was sent.
    var activity = 0
    /// The last presence that was sent.
    var presence: PresenceChannel.Update?
    /// The position in the signals.
    var signals = 0
    /// The kind that is next if there are several.
    var turn = 0
  }

  private let channels: EventChannels
  private let activity: ActivityChannel?
  private let presence: PresenceChannel?
  private let signals: SignalChannel?
  /// The first revision of the presence that contains this stream.
  private let revision: Int
  private let state: Mutex<State>

  /// Joins the channels of a session.
  ///
  /// - Parameters:
  ///   - kinds: The requested kinds.
  ///   - session: The session.
  ///   - revision: The first revision of the presence that contains the stream.
  ///   - channels: The channels.
  init(
    _ kinds: Kinds, of session: any SessionSource, from revision: Int, in channels: EventChannels
  ) {
    self.channels = channels
    self.revision = revision
    activity = kinds.contains(.activity) ? channels.activities.join(session) : nil
    presence = kinds.contains(.presence) ? channels.presences.join(session) : nil
    signals = kinds.contains(.signals) ? channels.signals.join(session) : nil
    var state = State()
    state.signals = signals?.position ?? 0
    self.state = Mutex(state)
  }

  /// The groups that are woken when there may be an event.
  var groups: [StreamGroup] {
    [activity?.group, presence?.group, signals?.group].compactMap { $0 }
  }

  /// Leaves the channels when the stream is closed.
  func close() {
    if let activity { channels.activities.leave(activity) }
    if let presence { channels.presences.leave(presence) }
    if let signals { channels.signals.leave(signals) }
  }

  /// Returns the activity with which the stream begins, and advances past it, or `nil` if it was not
  /// requested.
  func takeActivity() -> ActivityChannel.Update? {
    guard let latest = activity?.latest else { return nil }
    state.withLock { $0.activity = latest.number }
    return latest
  }

  /// Returns the next event and advances the position; the kinds take turns.
  func next() -> StreamNotice? {
    state.withLock { state in
      for _ in 0..<3 {
        let turn = state.turn
        state.turn = (turn + 1) % 3
        if let notice = next(turn, &state) { return notice }
      }
      return nil
    }
  }

  private func next(_ turn: Int, _ state: inout State) -> StreamNotice? {
    switch turn {
    case 0: nextActivity(&state)
    case 1: nextPresence(&state)
    default: nextSignal(&state)
    }
  }

  private func nextActivity(_ state: inout State) -> StreamNotice? {
    guard let latest = activity?.latest, state.activity < latest.number else { return nil }
    state.activity = latest.number
    return StreamNotice("activity", latest.json)
  }

  private func nextPresence(_ state: inout State) -> StreamNotice? {
    guard let latest = presence?.latest, latest !== state.presence, latest.revision >= revision
    else { return nil }
    // The presence is unchanged if a client left and returned within one interval.
    let isChange = latest.notice.json != state.presence?.notice.json
    state.presence = latest
    return isChange ? latest.notice : nil
  }

  private func nextSignal(_ state: inout State) -> StreamNotice? {
    guard let (signal, position) = signals?.next(at: state.signals) else { return nil }
    state.signals = position
    return signal
  }
}

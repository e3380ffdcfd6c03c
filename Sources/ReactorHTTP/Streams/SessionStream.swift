internal import ReactorHost
internal import Synchronization

/// One client's stream of a session or a global.
final class SessionStream: ByteStream {
  private struct State {
    /// What is sent first, before anything else.
    var opening: StreamChunk?
    var hasSaidGoodbye = false
  }

  /// The session was deleted.
  private static let end = StreamChunk(EventText.notice("end"))
  /// The service is stopping.
  private static let draining = StreamChunk(EventText.notice("draining"))

  private let subscription: Subscription
  private let channels: EventChannels
  private let state: Mutex<State>

  /// Makes a stream.
  ///
  /// - Parameters:
  ///   - subscription: What comes after the opening.
  ///   - opening: What the client is sent first.
  ///   - channels: What tells that the service is stopping.
  init(_ subscription: Subscription, _ opening: StreamOpening, of channels: EventChannels) {
    self.subscription = subscription
    self.channels = channels
    state = Mutex(State(opening: StreamChunk(Self.text(of: opening))))
  }

  private static func text(of opening: StreamOpening) -> [UInt8] {
    var text = Array(EventText.retry().utf8)
    if opening.isReset { text += EventText.notice("reset") }
    if opening.isCurrent { text += EventText.current.utf8 }
    if let chunk = opening.event?.chunk { text += chunk.framed[chunk.payload] }
    if let activity = opening.activity { text += EventText.notice("activity", activity.json) }
    return text
  }

  var groups: [StreamGroup] { subscription.groups }

  var heartbeat: StreamChunk? { EventText.heartbeat }

  func next() -> StreamOutput {
    if let opening = state.withLock({ $0.opening.take() }) { return .chunk(opening) }
    if state.withLock({ $0.hasSaidGoodbye }) { return .finished }
    if channels.isDraining { return goodbye(Self.draining) }
    switch subscription.next() {
    case .event(let event): return .chunk(event.chunk)
    case .activity(let news):
      return .chunk(StreamChunk(EventText.notice("activity", news.json)))
    case .idle: return .idle
    case .ended(.deleted): return goodbye(Self.end)
    case .ended(.interrupted): return .finished
    }
  }

  private func goodbye(_ chunk: StreamChunk) -> StreamOutput {
    state.withLock { $0.hasSaidGoodbye = true }
    return .chunk(chunk)
  }

  func closed() {
    subscription.close()
  }
}

/// What a client is sent of a session before anything else.
struct StreamOpening: Sendable {
  /// The cursor that the client came with is not one of this history.
  var isReset = false

  /// The client has everything already.
  var isCurrent = false

  /// Where the client is, or is brought to.
  var event: StreamEvent?

  /// What goes on in the session, where the client wants to know it.
  var activity: ActivityChannel.News?
}

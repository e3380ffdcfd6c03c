internal import ReactorLog
internal import ReactorTransport
internal import ReactorHost
internal import Synchronization

/// One client's stream of a session or a global.
final class SessionStream: ByteStream {
  private struct State {
    /// The first outputs that the connection has not pulled yet.
    var opening: [StreamChunk]
    /// Whether the last event has been sent.
    var isFinished = false

    mutating func takeOpening() -> StreamChunk? {
      guard !opening.isEmpty else { return nil }
      let chunk = opening.removeFirst()
      if opening.isEmpty { opening = [] }  // releases the storage
      return chunk
    }
  }

  /// The event of a deleted session.
  private static let end = StreamChunk(EventText.notice("end"))
  /// The event of a draining service.
  private static let draining = StreamChunk(EventText.notice("draining"))
  /// The event of a client that sees nothing any more.
  private static let expired = StreamChunk(EventText.notice("expired"))

  private let subscription: any StreamFeed
  private let channels: EventChannels
  private let state: Mutex<State>

  /// Creates a stream.
  ///
  /// - Parameters:
  ///   - subscription: The source of the events after the opening.
  ///   - opening: The first output.
  ///   - channels: Reports whether the service is draining.
  init(_ subscription: any StreamFeed, _ opening: StreamOpening, of channels: EventChannels) {
    self.subscription = subscription
    self.channels = channels
    state = Mutex(State(opening: Self.chunks(of: opening, after: EventText.retry())))
  }

  /// Encodes an opening after a text: as one chunk, unless a large State has a chunk that other streams share.
  private static func chunks(of opening: StreamOpening, after beginning: String) -> [StreamChunk] {
    var chunks: [StreamChunk] = []
    var text = Array(beginning.utf8)
    if opening.isReset { text += EventText.notice("reset") }
    text += opening.removal
    if opening.isCurrent { text += EventText.current.utf8 }
    if let chunk = opening.event?.chunk {
      if chunk.payload.count > EventChannel.smallSize {
        chunks = [StreamChunk(text), chunk]
        text = []
      } else {
        text += chunk.framed[chunk.payload]
      }
    }
    if let activity = opening.activity { text += EventText.notice("activity", activity.json) }
    if !text.isEmpty { chunks.append(StreamChunk(text)) }
    return chunks
  }

  var groups: [StreamGroup] { subscription.groups }

  var heartbeat: StreamChunk? { EventText.heartbeat }

  func next() -> StreamOutput {
    if let opening = state.withLock({ $0.takeOpening() }) { return .chunk(opening) }
    if state.withLock({ $0.isFinished }) { return .finished }
    if channels.isDraining { return finish(Self.draining) }
    switch subscription.next() {
    case .event(let event): return .chunk(event.chunk)
    case .notice(let notice): return .chunk(notice.chunk)
    case .idle: return .idle
    case .ended(.deleted): return finish(Self.end)
    case .ended(.interrupted): return .finished
    case .expired: return finish(Self.expired)
    case .reset(let opening):
      let first = state.withLock { state in
        state.opening = Self.chunks(of: opening, after: "")
        return state.takeOpening()
      }
      return first.map { .chunk($0) } ?? .idle
    }
  }

  private func finish(_ chunk: StreamChunk) -> StreamOutput {
    state.withLock { $0.isFinished = true }
    return .chunk(chunk)
  }

  var retainedBytes: Int { subscription.retainedBytes }

  func closed() {
    subscription.close()
  }
}

/// The first output of a stream for one session.
struct StreamOpening: Sendable {
  /// Whether the stream cannot continue from the client's cursor, so that it begins with a reset.
  var isReset = false

  /// The event that removes the signals of another history from the client; empty for none.
  var removal: [UInt8] = []

  /// Whether the client already has the current State.
  var isCurrent = false

  /// The event that brings the client to the current State.
  var event: StreamEvent?

  /// The activity of effects, if the client requested it.
  var activity: ActivityChannel.Update?
}

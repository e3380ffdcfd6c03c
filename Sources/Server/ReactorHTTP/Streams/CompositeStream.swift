internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Synchronization

/// One client's stream of several sessions.
///
/// Sessions are served round-robin, so that a session that changes all the time does not starve the
/// others.
final class CompositeStream: ByteStream {
  /// One of the sessions.
  struct Part: Sendable {
    /// `{reactor}/{session}`.
    let name: String

    /// The source of its events, or `nil` if the session has ended.
    let subscription: (any StreamFeed)?

    /// Its first output.
    var opening: StreamOpening?

    /// The client's cursor, or `nil` if the client has no event of this session.
    var cursor: Cursor?

    fileprivate let tag: String
    fileprivate let quotedName: [UInt8]
    fileprivate var hasEnded = false

    /// Creates a part.
    init(
      _ name: String, _ subscription: (any StreamFeed)?, _ opening: StreamOpening?,
      at cursor: Cursor?
    ) {
      self.name = name
      self.subscription = subscription
      self.opening = opening
      self.cursor = cursor
      tag = CompositeCursor.tag(of: name)
      quotedName = JSONValue.string(name).bytes
    }
  }

  fileprivate struct State {
    var parts: [Part]
    /// The part that is pulled first.
    var turn = 0
    var hasBegun = false
    /// Whether the last event has been sent.
    var isFinished = false
  }

  private let channels: EventChannels
  private let state: Mutex<State>

  /// Creates a stream of parts, which belong to different sessions.
  init(_ parts: [Part], of channels: EventChannels) {
    self.channels = channels
    state = Mutex(State(parts: parts))
  }

  var groups: [StreamGroup] {
    state.withLock { $0.parts }.flatMap { $0.subscription?.groups ?? [] }
  }

  var heartbeat: StreamChunk? { EventText.heartbeat }

  func next() -> StreamOutput {
    if let opening = nextOpening() { return .chunk(opening) }
    if state.withLock({ $0.isFinished }) { return .finished }
    if channels.isDraining {
      state.withLock { $0.isFinished = true }
      return .chunk(StreamChunk(state.withLock { $0.drainingEvents }))
    }
    let (parts, turn) = state.withLock { ($0.parts, $0.turn) }
    for offset in parts.indices {
      let index = (turn + offset) % parts.count
      guard !parts[index].hasEnded, let subscription = parts[index].subscription else { continue }
      switch subscription.next() {
      case .event(let event):
        return .chunk(StreamChunk(state.withLock { $0.send(event, of: index) }))
      case .notice(let notice):
        state.withLock { $0.endTurn(of: index) }
        return .chunk(StreamChunk(parts[index].notice(notice.name, notice.json)))
      case .idle: continue
      case .ended(.deleted): return .chunk(StreamChunk(state.withLock { $0.end(index) }))
      case .ended(.interrupted): return .finished
      case .reset(let opening):
        return .chunk(StreamChunk(state.withLock { $0.send(opening, of: index) }))
      case .expired:
        // As for a credential: the client opens a stream of the sessions that it may still see.
        state.withLock { $0.isFinished = true }
        return .chunk(StreamChunk(parts[index].notice("expired")))
      }
    }
    return state.withLock { $0.hasEnded } ? .finished : .idle
  }

  /// Returns the next part of the opening: that of one session at a time, since States can be
  /// large.
  private func nextOpening() -> StreamChunk? {
    state.withLock { state in
      var text: [UInt8] = []
      if !state.hasBegun {
        state.hasBegun = true
        text += EventText.retry().utf8
      }
      for index in state.parts.indices {
        guard let opening = state.parts[index].opening.take() else { continue }
        text += state.send(opening, of: index)
        if !text.isEmpty { break }
      }
      return text.isEmpty ? nil : StreamChunk(text)
    }
  }

  var retainedBytes: Int {
    state.withLock { $0.parts }.reduce(0) { sum, part in
      // Openings are sent one after the other: those of a client that does not read wait here.
      sum + (part.subscription?.retainedBytes ?? 0) + (part.opening?.event?.size ?? 0)
    }
  }

  func closed() {
    for part in state.withLock({ $0.parts }) { part.subscription?.close() }
  }
}

extension CompositeStream.State {
  /// Whether all sessions have ended.
  fileprivate var hasEnded: Bool { parts.allSatisfy(\.hasEnded) }

  /// The cursors of all sessions of which the client has an event.
  private var id: String {
    CompositeCursor.text(parts.lazy.compactMap { part in part.cursor.map { (part.tag, $0) } })
  }

  fileprivate mutating func send(_ opening: StreamOpening, of index: Int) -> [UInt8] {
    var text: [UInt8] = []
    if opening.isReset { text += parts[index].notice("reset") }
    text += opening.removal
    if opening.isCurrent { text += EventText.current.utf8 }
    if let event = opening.event { text += send(event, of: index) }
    if let activity = opening.activity { text += parts[index].notice("activity", activity.json) }
    if parts[index].subscription == nil { text += end(index) }
    return text
  }

  /// Begins the next output with the session after this one.
  fileprivate mutating func endTurn(of index: Int) {
    turn = (index + 1) % parts.count
  }

  /// Encodes an event and advances the cursor of its session.
  fileprivate mutating func send(_ event: StreamEvent, of index: Int) -> [UInt8] {
    parts[index].cursor = event.cursor
    endTurn(of: index)
    let part = parts[index]
    var text: [UInt8] = []
    let json = event.json
    text.reserveCapacity(json.count + 512)
    let isState = event.isWhole
    let name = isState ? part.name : event.kind.name ?? part.name
    text += "event: \(name)\nid: \(id)\ndata: \(event.kind.prefix)".utf8
    text += isState || event.kind == .signals ? Array(json) : part.wrap(json)
    text += "\n\n".utf8
    return text
  }

  /// Encodes the end of a session.
  fileprivate mutating func end(_ index: Int) -> [UInt8] {
    parts[index].hasEnded = true
    return parts[index].notice("end")
  }

  /// The `draining` events, one per session.
  fileprivate var drainingEvents: [UInt8] {
    parts.filter { !$0.hasEnded }.flatMap { $0.notice("draining") }
  }
}

extension CompositeStream.Part {
  fileprivate func notice(_ name: String, _ json: [UInt8] = Array("{}".utf8)) -> [UInt8] {
    EventText.notice(name, wrap(json))
  }

  /// Returns the data of an event that is not a State.
  fileprivate func wrap(_ json: some Collection<UInt8>) -> [UInt8] {
    Array(#"{"session":"#.utf8) + quotedName + Array(#","data":"#.utf8) + json + Array("}".utf8)
  }
}

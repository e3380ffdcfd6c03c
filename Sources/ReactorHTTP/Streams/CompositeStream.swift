internal import ReactorCoding
internal import ReactorHost
internal import Synchronization

/// One client's stream of several sessions.
///
/// Every session has its turn: one that changes all the time does not keep the others from being
/// heard.
final class CompositeStream: ByteStream {
  /// One of the sessions.
  struct Part: Sendable {
    /// `{reactor}/{session}`.
    let name: String

    /// What is shown of it; `nil` where it is gone.
    let subscription: Subscription?

    /// What is sent of it first.
    var opening: StreamOpening?

    /// Where the client is; `nil` until it was sent something.
    var cursor: Cursor?

    fileprivate let tag: String
    fileprivate let quotedName: [UInt8]
    fileprivate var hasEnded = false

    /// Makes a part.
    init(
      _ name: String, _ subscription: Subscription?, _ opening: StreamOpening?, at cursor: Cursor?
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
    /// Which part is asked first.
    var turn = 0
    var hasBegun = false
    var hasSaidGoodbye = false
  }

  private let channels: EventChannels
  private let state: Mutex<State>

  /// Makes a stream of its parts, which belong to different sessions.
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
    if state.withLock({ $0.hasSaidGoodbye }) { return .finished }
    if channels.isDraining {
      state.withLock { $0.hasSaidGoodbye = true }
      return .chunk(StreamChunk(state.withLock { $0.goodbye }))
    }
    let (parts, turn) = state.withLock { ($0.parts, $0.turn) }
    for offset in parts.indices {
      let index = (turn + offset) % parts.count
      guard !parts[index].hasEnded, let subscription = parts[index].subscription else { continue }
      switch subscription.next() {
      case .event(let event):
        return .chunk(StreamChunk(state.withLock { $0.send(event, of: index) }))
      case .activity(let news):
        return .chunk(StreamChunk(parts[index].notice("activity", news.json)))
      case .idle: continue
      case .ended(.deleted): return .chunk(StreamChunk(state.withLock { $0.end(index) }))
      case .ended(.interrupted): return .finished
      }
    }
    return state.withLock { $0.hasEnded } ? .finished : .idle
  }

  /// What is sent before anything else: session by session, since states may be large.
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

  func closed() {
    for part in state.withLock({ $0.parts }) { part.subscription?.close() }
  }
}

extension CompositeStream.State {
  /// Whether no session is left.
  fileprivate var hasEnded: Bool { parts.allSatisfy(\.hasEnded) }

  /// The cursors of all sessions of which something was sent.
  private var id: String {
    CompositeCursor.text(parts.lazy.compactMap { part in part.cursor.map { (part.tag, $0) } })
  }

  fileprivate mutating func send(_ opening: StreamOpening, of index: Int) -> [UInt8] {
    var text: [UInt8] = []
    if opening.isReset { text += parts[index].notice("reset") }
    if opening.isCurrent { text += EventText.current.utf8 }
    if let event = opening.event { text += send(event, of: index) }
    if let activity = opening.activity { text += parts[index].notice("activity", activity.json) }
    if parts[index].subscription == nil { text += end(index) }
    return text
  }

  /// The text of an event, which the client has with it.
  fileprivate mutating func send(_ event: StreamEvent, of index: Int) -> [UInt8] {
    parts[index].cursor = event.cursor
    turn = (index + 1) % parts.count
    let part = parts[index]
    var text: [UInt8] = []
    let json = event.json
    text.reserveCapacity(json.count + 512)
    text += "event: \(event.kind == .patch ? "patch" : part.name)\nid: \(id)\ndata: ".utf8
    text += event.kind == .patch ? part.wrap(json) : Array(json)
    text += "\n\n".utf8
    return text
  }

  /// A session was deleted.
  fileprivate mutating func end(_ index: Int) -> [UInt8] {
    parts[index].hasEnded = true
    return parts[index].notice("end")
  }

  /// The service is stopping: told for each session, as all that is no state.
  fileprivate var goodbye: [UInt8] {
    parts.filter { !$0.hasEnded }.flatMap { $0.notice("draining") }
  }
}

extension CompositeStream.Part {
  fileprivate func notice(_ name: String, _ json: [UInt8] = Array("{}".utf8)) -> [UInt8] {
    EventText.notice(name, wrap(json))
  }

  /// What is said of one of several sessions.
  fileprivate func wrap(_ json: some Collection<UInt8>) -> [UInt8] {
    Array(#"{"session":"#.utf8) + quotedName + Array(#","data":"#.utf8) + json + Array("}".utf8)
  }
}

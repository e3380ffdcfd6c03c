internal import ReactorCore
internal import ReactorHost
internal import ReactorLog

/// The response of a session's owner.
enum SessionReply: ReadableMessage {
  case opened(SessionImage, wasCreated: Bool)
  case absent(CommittedState)
  case outcome(ActionOutcome)
  /// The actions are durable, and an effect of one of them is running.
  ///
  /// The key identifies them for ``SessionCall/outcome(_:)``.
  case accepted(CommittedState, key: IdempotencyKey)
  case failed(SessionError)
  case history(HistoryError)
  case effects([RunningEffect]?)
  case cancelled(EffectCancellation)
  case timers([StoredTimer]?)
  case states([CommittedState])
  case entries([LogEntry])
  case subscribers(PresencePage)
  case done

  var bytes: [UInt8] {
    var writer = MessageWriter()
    switch self {
    case .opened(let image, let wasCreated):
      writer.write(1 as UInt8)
      writer.write(image)
      writer.write(wasCreated)
    case .absent(let state):
      writer.write(2 as UInt8)
      writer.write(state)
    case .outcome(let outcome):
      writer.write(3 as UInt8)
      writer.write(outcome)
    case .accepted(let state, let key):
      writer.write(4 as UInt8)
      writer.write(state)
      writer.write(key)
    case .failed(let error):
      writer.write(5 as UInt8)
      writer.write(error)
    case .history(let error):
      writer.write(6 as UInt8)
      writer.write(error)
    case .effects(let effects):
      writer.write(7 as UInt8)
      writer.write(effects) { writer, effects in writer.write(all: effects) { $0.write($1) } }
    case .cancelled(let result):
      writer.write(8 as UInt8)
      writer.write(result)
    case .timers(let timers):
      writer.write(9 as UInt8)
      writer.write(timers) { writer, timers in writer.write(all: timers) { $0.write($1) } }
    case .states(let states):
      writer.write(10 as UInt8)
      writer.write(all: states) { $0.write($1) }
    case .entries(let entries):
      writer.write(11 as UInt8)
      writer.write(all: entries) { $0.write($1) }
    case .subscribers(let page):
      writer.write(13 as UInt8)
      writer.write(page)
    case .done: writer.write(12 as UInt8)
    }
    return writer.bytes
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> SessionReply {
    switch try reader.byte() {
    case 1: .opened(try reader.image(), wasCreated: try reader.bool())
    case 2: .absent(try reader.state())
    case 3: .outcome(try reader.outcome(depth: 0))
    case 4: .accepted(try reader.state(), key: try reader.idempotencyKey())
    case 5: .failed(try reader.sessionError())
    case 6: .history(try reader.historyError())
    case 7:
      .effects(
        try reader.optional { (reader) throws(MessageError) in
          try reader.all { (reader) throws(MessageError) in try reader.effect() }
        })
    case 8: .cancelled(try reader.cancellation())
    case 9:
      .timers(
        try reader.optional { (reader) throws(MessageError) in
          try reader.all { (reader) throws(MessageError) in try reader.timer() }
        })
    case 10: .states(try reader.all { (reader) throws(MessageError) in try reader.state() })
    case 11: .entries(try reader.all { (reader) throws(MessageError) in try reader.entry() })
    case 12: .done
    case 13: .subscribers(try reader.presencePage())
    default: throw MessageError()
    }
  }
}

/// The values of a session at its owner, at one point in time.
struct SessionImage: Sendable {
  var current: CommittedState
  var parameters: [UInt8]?
  var lastActiveAt: Timestamp
  /// The subscribers of an event; lists of all are read in pages.
  var presence: PresencePage
  /// Whether the log has the session.
  var isStored: Bool

  init(
    current: CommittedState, parameters: [UInt8]?, lastActiveAt: Timestamp, presence: PresencePage,
    isStored: Bool
  ) {
    self.current = current
    self.parameters = parameters
    self.lastActiveAt = lastActiveAt
    self.presence = presence
    self.isStored = isStored
  }

  init(_ session: any Session) {
    self.init(
      current: session.current, parameters: session.parameters,
      lastActiveAt: session.lastActiveAt,
      presence: session.presence.page(limit: PresencePage.eventLimit), isStored: session.isStored)
  }
}

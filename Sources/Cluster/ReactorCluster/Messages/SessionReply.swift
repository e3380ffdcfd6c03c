internal import ReactorHost
internal import ReactorLog

/// The response of a session's owner.
enum SessionReply: Message {
  case opened(SessionImage, wasCreated: Bool)
  case absent(CommittedState)
  case outcome(ActionOutcome)
  /// The actions are durable, and an effect of one of them is running.
  ///
  /// The key identifies them for ``SessionCall/outcome(_:)``.
  case accepted(CommittedState, key: IdempotencyKey)
  case failed(SessionError)
  case history(HistoryError)
  case effects([RunningEffect])
  case timers([StoredTimer])
  case states([CommittedState])
  case entries([LogEntry])
  case subscribers(PresencePage)
  case done

  func write(to writer: inout MessageWriter) {
    switch self {
    case .opened(let image, let wasCreated): writer.write(1, image, wasCreated)
    case .absent(let state): writer.write(2, state)
    case .outcome(let outcome): writer.write(3, outcome)
    case .accepted(let state, let key): writer.write(4, state, key)
    case .failed(let error): writer.write(5, error)
    case .history(let error): writer.write(6, error)
    case .effects(let effects): writer.write(7, Optional(effects))
    case .timers(let timers): writer.write(9, Optional(timers))
    case .states(let states): writer.write(10, states)
    case .entries(let entries): writer.write(11, entries)
    case .done: writer.write(12)
    case .subscribers(let page): writer.write(13, page)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> SessionReply {
    switch try reader.byte() {
    case 1: try .opened(reader.read(), wasCreated: reader.read())
    case 2: try .absent(reader.read())
    case 3: try .outcome(reader.read())
    case 4: try .accepted(reader.read(), key: reader.read())
    case 5: try .failed(reader.read())
    case 6: try .history(reader.read())
    // The owner of a former release replies without a list if the mailbox of the session is full,
    // and has a reply of its own to a cancellation.
    case 7: try [RunningEffect]?.read(&reader).map { .effects($0) } ?? .failed(.overloaded)
    case 8:
      switch try reader.byte() {
      case 1: .done
      case 2: .failed(.overloaded)
      case 3: try .failed(.log(reader.read()))
      default: throw MessageError()
      }
    case 9: try [StoredTimer]?.read(&reader).map { .timers($0) } ?? .failed(.overloaded)
    case 10: try .states(reader.read())
    case 11: try .entries(reader.read())
    case 12: .done
    case 13: try .subscribers(reader.read())
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

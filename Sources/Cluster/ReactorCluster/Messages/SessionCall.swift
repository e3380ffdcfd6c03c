internal import ReactorHost
internal import ReactorLog
internal import Shares

/// A call, and the client that it counts for at the owner: the payload of a ``ForwardedRequest``.
struct SessionRequest: Message {
  /// The client, or `nil` for none.
  let client: Client?
  let call: SessionCall

  func write(to writer: inout MessageWriter) {
    switch client {
    case nil: writer.write(0, call)
    case .principal(let id): writer.write(1, id, call)
    case .network(let high, let low): writer.write(2, high, low, call)
    case .local: writer.write(3, call)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> SessionRequest {
    let client: Client? =
      switch try reader.byte() {
      case 0: nil
      case 1: try .principal(reader.read())
      case 2: try .network(high: reader.read(), low: reader.read())
      case 3: .local
      default: throw MessageError()
      }
    return SessionRequest(client: client, call: try reader.read())
  }
}

/// A request for a session at its owner.
enum SessionCall: Message {
  case open(SessionIntent, parameters: [UInt8]?)
  case find
  case submit(Submission)
  /// Waits for the outcome of an accepted request, which has a key.
  case outcome(Submission)
  /// Subscribes the edge; the number orders it with the messages of the edge's other subscriptions.
  case subscribe(UInt64)
  /// Confirms that the owner's State is the latest one; the reply is the session.
  case confirm
  case effects(after: String?, limit: Int)
  case cancelEffect(String)
  case timers(after: TimerPosition?, limit: Int)
  case subscribers(after: String?, limit: Int)
  case cancelTimer(String)
  case end
  case fork(version: Int?, to: String, parameters: [UInt8]?)
  case state(version: Int)
  case states(after: Int?, limit: Int)
  case entries(after: Int, limit: Int)

  /// Whether the call can be executed more than once.
  var kind: ForwardedRequest.Kind {
    if case .submit = self { .action } else { .call }
  }

  func write(to writer: inout MessageWriter) {
    switch self {
    case .open(let intent, let parameters): writer.write(1, intent, parameters)
    case .find: writer.write(2)
    case .submit(let submission): writer.write(3, submission)
    case .effects(let id, let limit): writer.write(5, id, limit)
    case .cancelEffect(let id): writer.write(6, id)
    case .cancelTimer(let id): writer.write(8, id)
    case .end: writer.write(9)
    case .fork(let version, let id, let parameters): writer.write(10, version, id, parameters)
    case .state(let version): writer.write(11, version)
    case .states(let version, let limit): writer.write(12, version, limit)
    case .entries(let version, let limit): writer.write(13, version, limit)
    case .outcome(let submission): writer.write(14, submission)
    case .confirm: writer.write(15)
    case .timers(let position, let limit): writer.write(16, position, limit)
    case .subscribe(let number): writer.write(17, number)
    case .subscribers(let name, let limit): writer.write(18, name, limit)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> SessionCall {
    switch try reader.byte() {
    case 1: try .open(reader.read(), parameters: reader.read())
    case 2: .find
    case 3: try .submit(reader.read())
    case 5: try .effects(after: reader.read(), limit: reader.count())
    case 6: try .cancelEffect(reader.read())
    case 8: try .cancelTimer(reader.read())
    case 9: .end
    case 10:
      try .fork(version: reader.optionalVersion(), to: reader.read(), parameters: reader.read())
    case 11: try .state(version: reader.version())
    case 12: try .states(after: reader.optionalVersion(), limit: reader.count())
    case 13: try .entries(after: reader.version(), limit: reader.count())
    case 14: try .outcome(reader.read())
    case 15: .confirm
    case 16: try .timers(after: reader.read(), limit: reader.count())
    case 17: try .subscribe(reader.read())
    case 18: try .subscribers(after: reader.read(), limit: reader.count())
    default: throw MessageError()
    }
  }
}

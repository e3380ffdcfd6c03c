internal import ReactorCoding
internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import Shares

/// A call, and the client that it counts for at the owner: the payload of a ``ForwardedRequest``.
struct SessionRequest: ReadableMessage {
  /// The client, or `nil` for none.
  let client: Client?
  let call: SessionCall

  var bytes: [UInt8] {
    var writer = MessageWriter()
    switch client {
    case nil: writer.write(0 as UInt8)
    case .principal(let id):
      writer.write(1 as UInt8)
      writer.write(id)
    case .network(let high, let low):
      writer.write(2 as UInt8)
      writer.write(high)
      writer.write(low)
    case .local: writer.write(3 as UInt8)
    }
    return writer.bytes + call.bytes
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> SessionRequest {
    let client: Client? =
      switch try reader.byte() {
      case 0: nil
      case 1: .principal(try reader.text())
      case 2: .network(high: try reader.number(), low: try reader.number())
      case 3: .local
      default: throw MessageError()
      }
    return SessionRequest(client: client, call: try SessionCall.read(&reader))
  }
}

/// A request for a session at its owner.
enum SessionCall: ReadableMessage {
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

  var bytes: [UInt8] {
    var writer = MessageWriter()
    switch self {
    case .open(let intent, let parameters):
      writer.write(1 as UInt8)
      writer.write(intent)
      writer.write(parameters) { $0.write($1) }
    case .find: writer.write(2 as UInt8)
    case .submit(let submission):
      writer.write(3 as UInt8)
      writer.write(submission)
    case .outcome(let submission):
      writer.write(14 as UInt8)
      writer.write(submission)
    case .subscribe(let number):
      writer.write(17 as UInt8)
      writer.write(number)
    case .confirm: writer.write(15 as UInt8)
    case .effects(let id, let limit):
      writer.write(5 as UInt8)
      writer.write(id) { $0.write($1) }
      writer.write(limit)
    case .cancelEffect(let id):
      writer.write(6 as UInt8)
      writer.write(id)
    case .timers(let position, let limit):
      writer.write(16 as UInt8)
      writer.write(position) { writer, position in
        writer.write(Int(position.due.milliseconds))
        writer.write(position.id)
      }
      writer.write(limit)
    case .subscribers(let name, let limit):
      writer.write(18 as UInt8)
      writer.write(name) { $0.write($1) }
      writer.write(limit)
    case .cancelTimer(let id):
      writer.write(8 as UInt8)
      writer.write(id)
    case .end: writer.write(9 as UInt8)
    case .fork(let version, let id, let parameters):
      writer.write(10 as UInt8)
      writer.write(version) { $0.write($1) }
      writer.write(id)
      writer.write(parameters) { $0.write($1) }
    case .state(let version):
      writer.write(11 as UInt8)
      writer.write(version)
    case .states(let version, let limit):
      writer.write(12 as UInt8)
      writer.write(version) { $0.write($1) }
      writer.write(limit)
    case .entries(let version, let limit):
      writer.write(13 as UInt8)
      writer.write(version)
      writer.write(limit)
    }
    return writer.bytes
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> SessionCall {
    switch try reader.byte() {
    case 1: .open(try reader.intent(), parameters: try reader.optionalData())
    case 2: .find
    case 3: .submit(try reader.submission())
    case 5: .effects(after: try reader.optionalText(), limit: try reader.count())
    case 6: .cancelEffect(try reader.text())
    case 8: .cancelTimer(try reader.text())
    case 9: .end
    case 10:
      .fork(
        version: try reader.optionalVersion(), to: try reader.text(),
        parameters: try reader.optionalData())
    case 11: .state(version: try reader.version())
    case 12: .states(after: try reader.optionalVersion(), limit: try reader.count())
    case 13: .entries(after: try reader.version(), limit: try reader.count())
    case 14: .outcome(try reader.submission())
    case 15: .confirm
    case 16: .timers(after: try reader.timerPosition(), limit: try reader.count())
    case 17: .subscribe(try reader.number())
    case 18: .subscribers(after: try reader.optionalText(), limit: try reader.count())
    default: throw MessageError()
    }
  }
}

extension MessageWriter {
  mutating func write(_ intent: SessionIntent) {
    switch intent {
    case .use: write(0 as UInt8)
    case .ensure: write(1 as UInt8)
    case .create: write(2 as UInt8)
    }
  }

  mutating func write(_ key: IdempotencyKey) {
    write(key.name)
    write(key.body)
  }

  mutating func write(_ submission: Submission) {
    write(submission.body)
    write(submission.expected) { writer, cursors in
      writer.write(all: cursors) { $0.write($1) }
    }
    write(submission.key) { $0.write($1) }
    write(submission.context) { writer, context in
      writer.write(context.id)
      writer.write(context.traceparent) { $0.write($1) }
      // A principal is encoded as JSON, as everywhere.
      writer.write(context.principal.flatMap { try? JSONCoder.encode($0) }) { $0.write($1) }
      writer.write(context.depth)
      writer.write(try? JSONCoder.encode(context.origin)) { $0.write($1) }
    }
  }
}

extension MessageReader {
  mutating func optionalData() throws(MessageError) -> [UInt8]? {
    try optional { (reader) throws(MessageError) in try reader.data() }
  }

  mutating func optionalText() throws(MessageError) -> String? {
    try optional { (reader) throws(MessageError) in try reader.text() }
  }

  mutating func optionalInteger() throws(MessageError) -> Int? {
    try optional { (reader) throws(MessageError) in try reader.integer() }
  }

  mutating func optionalVersion() throws(MessageError) -> Int? {
    try optional { (reader) throws(MessageError) in try reader.version() }
  }

  /// Reads the position of a timer in the list of its session.
  mutating func timerPosition() throws(MessageError) -> TimerPosition? {
    try optional { (reader) throws(MessageError) in
      TimerPosition(
        due: Timestamp(milliseconds: Int64(try reader.integer())), history: 0,
        id: try reader.text())
    }
  }

  mutating func idempotencyKey() throws(MessageError) -> IdempotencyKey {
    IdempotencyKey(stored: try text(), body: try text())
  }

  mutating func intent() throws(MessageError) -> SessionIntent {
    switch try byte() {
    case 0: .use
    case 1: .ensure
    case 2: .create
    default: throw MessageError()
    }
  }

  mutating func submission() throws(MessageError) -> Submission {
    let body = try data()
    let expected = try optional { (reader) throws(MessageError) in
      try reader.all { (reader) throws(MessageError) in try reader.cursor() }
    }
    let key = try optional { (reader) throws(MessageError) in try reader.idempotencyKey() }
    let context = try optional { (reader) throws(MessageError) in try reader.context() }
    return Submission(body: body, expected: expected, key: key, context: context)
  }

  /// Reads the context of a request.
  ///
  /// Throws for a principal that cannot be decoded: the request must not become an anonymous one.
  private mutating func context() throws(MessageError) -> RequestContext {
    let id = try text()
    let traceparent = try optionalText()
    let principal = try optional { (reader) throws(MessageError) in
      let json = try reader.data()
      guard let principal = try? JSONCoder.decode(Principal.self, from: json) else {
        throw MessageError()
      }
      return principal
    }
    let depth = try count()
    let origin = try optionalData().flatMap { try? JSONCoder.decode(ActionOrigin.self, from: $0) }
    guard let origin else { throw MessageError() }
    var context = RequestContext(
      id: id, traceparent: traceparent, principal: principal, origin: origin)
    context.depth = depth
    return context
  }
}

internal import ReactorCoding
internal import ReactorCore
internal import ReactorHost
internal import ReactorLog

// The parts of calls and replies about sessions.

extension SessionIntent: MessageField {
  func write(to writer: inout MessageWriter) {
    switch self {
    case .use: writer.write(0)
    case .ensure: writer.write(1)
    case .create: writer.write(2)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> SessionIntent {
    switch try reader.byte() {
    case 0: .use
    case 1: .ensure
    case 2: .create
    default: throw MessageError()
    }
  }
}

extension IdempotencyKey: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: name, body) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> IdempotencyKey {
    try IdempotencyKey(stored: reader.read(), body: reader.read())
  }
}

/// The position of a timer in the list of its session.
extension TimerPosition: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: due, id) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> TimerPosition {
    try TimerPosition(
      due: Timestamp(milliseconds: Int64(reader.integer())), history: 0, id: reader.read())
  }
}

extension Submission: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: body, expected, key, context)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> Submission {
    try Submission(
      body: reader.read(), expected: reader.read(), key: reader.read(), context: reader.read())
  }
}

extension RequestContext: MessageField {
  func write(to writer: inout MessageWriter) {
    // A principal is encoded as JSON, as everywhere.
    let principal = principal.flatMap { try? JSONCoder.encode($0) }
    writer.write(fields: id, traceparent, principal, depth, try? JSONCoder.encode(origin))
  }

  /// Reads the context of a request.
  ///
  /// Throws for a principal that cannot be decoded: the request must not become an anonymous one.
  static func read(_ reader: inout MessageReader) throws(MessageError) -> RequestContext {
    let (id, traceparent): (String, String?) = (try reader.read(), try reader.read())
    let principal: Principal? = try reader.decoded()
    let depth = try reader.count()
    guard let origin: ActionOrigin = try reader.decoded() else { throw MessageError() }
    var context = RequestContext(
      id: id, traceparent: traceparent, principal: principal, origin: origin)
    context.depth = depth
    return context
  }
}

extension MessageReader {
  /// Reads an optional value that is encoded as JSON.
  fileprivate mutating func decoded<Value: Decodable>() throws(MessageError) -> Value? {
    guard let json = try [UInt8]?.read(&self) else { return nil }
    guard let value = try? JSONCoder.decode(Value.self, from: json) else { throw MessageError() }
    return value
  }
}

extension CommittedState: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: cursor, json) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> CommittedState {
    try CommittedState(cursor: reader.read(), json: reader.read())
  }
}

extension SessionImage: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: current, parameters, lastActiveAt, presence, isStored)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> SessionImage {
    try SessionImage(
      current: reader.read(), parameters: reader.read(), lastActiveAt: reader.read(),
      presence: reader.read(), isStored: reader.read())
  }
}

extension Presence.Subscriber: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: name, streams) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> Presence.Subscriber {
    try Presence.Subscriber(name: reader.read(), streams: reader.count())
  }
}

extension PresencePage: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: presence.count, presence.subscribers, more)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> PresencePage {
    try PresencePage(
      Presence(count: reader.count(), subscribers: reader.read()), more: reader.count())
  }
}

extension RunningEffect: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: id, action, startedAt, progress)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> RunningEffect {
    try RunningEffect(
      id: reader.read(), action: reader.read(), startedAt: reader.read(), progress: reader.read())
  }
}

extension SessionSummary: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: id, cursor, subscribers, effects, lastActiveAt)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> SessionSummary {
    try SessionSummary(
      id: reader.read(), cursor: reader.read(), subscribers: reader.count(),
      effects: reader.count(), lastActiveAt: reader.read())
  }
}

extension StoredTimer: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: id, due, action, period.map { Int($0) }, catchesUp)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> StoredTimer {
    try StoredTimer(
      id: reader.read(), due: reader.read(), action: reader.read(),
      period: reader.optionalInteger().map { Int64($0) }, catchesUp: reader.read())
  }
}

extension LogEntry.GlobalMark: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: name, revision) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> LogEntry.GlobalMark {
    try LogEntry.GlobalMark(name: reader.read(), revision: reader.read())
  }
}

extension LogEntry: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: version, at, action, global, mutation, by)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> LogEntry {
    try LogEntry(
      version: reader.version(), at: reader.read(), action: reader.read(), global: reader.read(),
      mutation: reader.read(), by: reader.read())
  }
}

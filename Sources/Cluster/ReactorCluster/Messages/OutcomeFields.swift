internal import ReactorCore
internal import ReactorHost
internal import ReactorLog

// Outcomes of actions and errors, as bytes.

extension ActionOutcome: MessageField {
  func write(to writer: inout MessageWriter) {
    switch self {
    case .committed(let state): writer.write(1, state)
    case .failed(let index, let error, let cursor):
      writer.write(2, index, RemoteFailure(error), cursor)
    case .replayed(let outcome): writer.write(3, outcome)
    case .running: writer.write(4)
    case .keyReused: writer.write(5)
    case .mismatch(let state): writer.write(6, state)
    case .overloaded: writer.write(7)
    case .ended: writer.write(8)
    case .notCommitted(let error): writer.write(9, error)
    case .invalid(let error): writer.write(10, error)
    case .notOpened(let error): writer.write(11, error)
    case .displaced(let owner): writer.write(9, LogError.lost(to: owner))
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> ActionOutcome {
    try read(&reader, depth: 0)
  }

  /// Reads an outcome in `depth` replayed ones.
  private static func read(
    _ reader: inout MessageReader, depth: Int
  ) throws(MessageError) -> ActionOutcome {
    switch try reader.byte() {
    case 1: return try .committed(reader.read())
    case 2:
      return .failed(
        index: try reader.optionalInteger(), try RemoteFailure.read(&reader).error,
        at: try reader.read())
    case 3:
      guard depth < 2 else { throw MessageError() }
      return .replayed(try read(&reader, depth: depth + 1))
    case 4: return .running
    case 5: return .keyReused
    case 6: return try .mismatch(reader.read())
    case 7: return .overloaded
    case 8: return .ended
    case 9: return try .notCommitted(reader.read())
    case 10: return try .invalid(reader.read())
    case 11: return try .notOpened(reader.read())
    default: throw MessageError()
    }
  }
}

extension RemoteFailure: MessageField {
  func write(to writer: inout MessageWriter) {
    switch self {
    case .stateTooLarge(let size, let limit): writer.write(1, size, limit)
    case .crashed: writer.write(2)
    case .reason(let reason): writer.write(3, reason)
    case .tooDeep(let key): writer.write(4, key)
    case .recorded(let kind, let reason): writer.write(5, kind, reason)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> RemoteFailure {
    switch try reader.byte() {
    case 1: try .stateTooLarge(size: reader.integer(), limit: reader.integer())
    case 2: .crashed
    case 3: try .reason(reader.read())
    case 4: try .tooDeep(reader.read())
    case 5: try .recorded(reader.read(), reader.read())
    default: throw MessageError()
    }
  }
}

extension ActionFailure.Kind: MessageField {}

extension ActionFailure.Reason: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: status, title, detail, code, data)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> ActionFailure.Reason {
    try ActionFailure.Reason(
      status: reader.integer(), title: reader.read(), detail: reader.read(), code: reader.read(),
      data: reader.read())
  }
}

extension ActionDecodingError: MessageField {
  func write(to writer: inout MessageWriter) {
    switch self {
    case .malformed(let offset, let reason): writer.write(1, offset, reason)
    case .invalid(let pointer, let expected, let detail):
      writer.write(2, pointer, expected, detail)
    case .internalAction(let name): writer.write(3, name)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> ActionDecodingError {
    switch try reader.byte() {
    case 1: try .malformed(offset: reader.integer(), reason: reader.read())
    case 2:
      try .invalid(pointer: reader.read(), expected: reader.read(), detail: reader.read())
    case 3: try .internalAction(reader.read())
    default: throw MessageError()
    }
  }
}

extension LogError: MessageField {
  func write(to writer: inout MessageWriter) {
    switch self {
    case .lost(let owner): writer.write(1, owner)
    case .full: writer.write(2)
    case .unavailable(let reason): writer.write(3, reason)
    case .corrupt(let reason): writer.write(4, reason)
    case .unreadable(let version, let reason): writer.write(5, version, reason)
    case .unknown: writer.write(6)
    case .tooLarge: writer.write(7)
    case .beyondShare(let limit, let bound): writer.write(8, limit, bound)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> LogError {
    switch try reader.byte() {
    case 1: try .lost(to: reader.read())
    case 2: .full
    case 3: try .unavailable(reader.read())
    case 4: try .corrupt(reader.read())
    case 5: try .unreadable(version: reader.integer(), reason: reader.read())
    case 6: .unknown
    case 7: .tooLarge
    case 8: try .beyondShare(of: reader.integer(), bound: reader.read())
    default: throw MessageError()
    }
  }
}

extension HistoryError: MessageField {
  func write(to writer: inout MessageWriter) {
    switch self {
    case .unknownVersion(let oldest, let latest): writer.write(1, oldest, latest)
    case .log(let error): writer.write(2, error)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> HistoryError {
    switch try reader.byte() {
    case 1: try .unknownVersion(oldest: reader.integer(), latest: reader.integer())
    case 2: try .log(reader.read())
    default: throw MessageError()
    }
  }
}

extension SessionError: MessageField {
  func write(to writer: inout MessageWriter) {
    switch self {
    case .unknown: writer.write(1)
    case .ended: writer.write(2)
    case .exists: writer.write(3)
    case .needsParameters: writer.write(4)
    case .otherParameters: writer.write(5)
    case .history(let error): writer.write(6, error)
    case .tooMany: writer.write(7)
    // A node of a former release does not know the tenth.
    case .quarantined, .reactorQuarantined: writer.write(8)
    case .log(let error): writer.write(9, error)
    case .overloaded: writer.write(10)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> SessionError {
    switch try reader.byte() {
    case 1: .unknown
    case 2: .ended
    case 3: .exists
    case 4: .needsParameters
    case 5: .otherParameters
    case 6: try .history(reader.read())
    case 7: .tooMany
    case 8: .quarantined
    case 9: try .log(reader.read())
    case 10: .overloaded
    default: throw MessageError()
    }
  }
}

/// The error of an action at another node, with the fields for the problem in the client's
/// response.
enum RemoteFailure: Sendable {
  case stateTooLarge(size: Int, limit: Int)
  case crashed
  case tooDeep(SessionKey)
  case reason(ActionFailure.Reason?)
  /// A failure of the service that was restored from the log.
  case recorded(ActionFailure.Kind, ActionFailure.Reason)

  init(_ error: any Error) {
    switch error {
    case let error as StateTooLargeError:
      self = .stateTooLarge(size: error.size, limit: error.limit)
    case is ActionCrashedError: self = .crashed
    case SessionSendError.tooDeep(let key): self = .tooDeep(key)
    default:
      let failure = ActionFailure(index: nil, error)
      guard let kind = failure.kind, let reason = failure.reason else {
        self = .reason(failure.reason)
        return
      }
      self = .recorded(kind, reason)
    }
  }

  var error: any Error {
    switch self {
    case .stateTooLarge(let size, let limit): StateTooLargeError(size: size, limit: limit)
    case .crashed: ActionCrashedError()
    case .tooDeep(let key): SessionSendError.tooDeep(key)
    case .reason(let reason): ActionFailure(index: nil, reason: reason).error
    case .recorded(let kind, let reason):
      ActionFailure(index: nil, kind: kind, reason: reason).error
    }
  }
}

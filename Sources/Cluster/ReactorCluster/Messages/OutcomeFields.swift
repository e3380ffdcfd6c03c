internal import ReactorCore
internal import ReactorHost
internal import ReactorLog

/// Outcomes of actions and errors, as bytes.
extension MessageWriter {
  mutating func write(_ outcome: ActionOutcome) {
    switch outcome {
    case .committed(let state):
      write(1 as UInt8)
      write(state)
    case .failed(let index, let error, let cursor):
      write(2 as UInt8)
      write(index) { $0.write($1) }
      write(RemoteFailure(error))
      write(cursor)
    case .replayed(let outcome):
      write(3 as UInt8)
      write(outcome)
    case .running: write(4 as UInt8)
    case .keyReused: write(5 as UInt8)
    case .mismatch(let state):
      write(6 as UInt8)
      write(state)
    case .overloaded: write(7 as UInt8)
    case .ended: write(8 as UInt8)
    case .notCommitted(let error):
      write(9 as UInt8)
      write(error)
    case .invalid(let error):
      write(10 as UInt8)
      write(error)
    case .notOpened(let error):
      write(11 as UInt8)
      write(error)
    case .displaced(let owner):
      write(9 as UInt8)
      write(LogError.lost(to: owner))
    }
  }

  mutating func write(_ failure: RemoteFailure) {
    switch failure {
    case .stateTooLarge(let size, let limit):
      write(1 as UInt8)
      write(size)
      write(limit)
    case .crashed: write(2 as UInt8)
    case .reason(let reason):
      write(3 as UInt8)
      write(reason) { $0.write($1) }
    case .recorded(let kind, let reason):
      write(5 as UInt8)
      write(kind.rawValue)
      write(reason)
    case .tooDeep(let key):
      write(4 as UInt8)
      write(key)
    }
  }

  mutating func write(_ reason: ActionFailure.Reason) {
    write(reason.status)
    write(reason.title)
    write(reason.detail) { $0.write($1) }
    write(reason.code) { $0.write($1) }
    write(reason.data) { $0.write($1) }
  }

  mutating func write(_ error: ActionDecodingError) {
    switch error {
    case .malformed(let offset, let reason):
      write(1 as UInt8)
      write(offset)
      write(reason)
    case .invalid(let pointer, let expected, let detail):
      write(2 as UInt8)
      write(pointer)
      write(all: expected) { $0.write($1) }
      write(detail)
    case .internalAction(let name):
      write(3 as UInt8)
      write(name)
    }
  }

  mutating func write(_ error: LogError) {
    switch error {
    case .lost(let owner):
      write(1 as UInt8)
      write(owner) { $0.write($1) }
    case .full: write(2 as UInt8)
    case .unavailable(let reason):
      write(3 as UInt8)
      write(reason)
    case .corrupt(let reason):
      write(4 as UInt8)
      write(reason)
    case .unreadable(let version, let reason):
      write(5 as UInt8)
      write(version)
      write(reason)
    case .unknown: write(6 as UInt8)
    case .tooLarge: write(7 as UInt8)
    case .beyondShare(let limit, let bound):
      write(8 as UInt8)
      write(limit)
      write(bound)
    }
  }

  mutating func write(_ error: HistoryError) {
    switch error {
    case .unknownVersion(let oldest, let latest):
      write(1 as UInt8)
      write(oldest)
      write(latest)
    case .log(let error):
      write(2 as UInt8)
      write(error)
    }
  }

  mutating func write(_ error: SessionError) {
    switch error {
    case .unknown: write(1 as UInt8)
    case .ended: write(2 as UInt8)
    case .exists: write(3 as UInt8)
    case .needsParameters: write(4 as UInt8)
    case .otherParameters: write(5 as UInt8)
    case .history(let error):
      write(6 as UInt8)
      write(error)
    case .tooMany: write(7 as UInt8)
    // A node of a former release does not know the tenth.
    case .quarantined, .reactorQuarantined: write(8 as UInt8)
    case .log(let error):
      write(9 as UInt8)
      write(error)
    }
  }

  mutating func write(_ result: EffectCancellation) {
    switch result {
    case .ended: write(1 as UInt8)
    case .overloaded: write(2 as UInt8)
    case .notCommitted(let error):
      write(3 as UInt8)
      write(error)
    }
  }
}

extension MessageReader {
  mutating func outcome(depth: Int) throws(MessageError) -> ActionOutcome {
    switch try byte() {
    case 1: return .committed(try state())
    case 2:
      let index = try optionalInteger()
      return .failed(index: index, try failure().error, at: try cursor())
    case 3:
      guard depth < 2 else { throw MessageError() }
      return .replayed(try outcome(depth: depth + 1))
    case 4: return .running
    case 5: return .keyReused
    case 6: return .mismatch(try state())
    case 7: return .overloaded
    case 8: return .ended
    case 9: return .notCommitted(try logError())
    case 10: return .invalid(try decodingError())
    case 11: return .notOpened(try sessionError())
    default: throw MessageError()
    }
  }

  mutating func failure() throws(MessageError) -> RemoteFailure {
    switch try byte() {
    case 1: .stateTooLarge(size: try integer(), limit: try integer())
    case 2: .crashed
    case 3:
      .reason(try optional { (reader) throws(MessageError) in try reader.failureReason() })
    case 4: .tooDeep(try key())
    case 5: .recorded(try failureKind(), try failureReason())
    default: throw MessageError()
    }
  }

  private mutating func failureKind() throws(MessageError) -> ActionFailure.Kind {
    guard let kind = ActionFailure.Kind(rawValue: try text()) else { throw MessageError() }
    return kind
  }

  private mutating func failureReason() throws(MessageError) -> ActionFailure.Reason {
    ActionFailure.Reason(
      status: try integer(), title: try text(), detail: try optionalText(),
      code: try optionalText(), data: try optionalText())
  }

  mutating func decodingError() throws(MessageError) -> ActionDecodingError {
    switch try byte() {
    case 1: .malformed(offset: try integer(), reason: try text())
    case 2:
      .invalid(
        pointer: try text(),
        expected: try all { (reader) throws(MessageError) in try reader.text() },
        detail: try text())
    case 3: .internalAction(try text())
    default: throw MessageError()
    }
  }

  mutating func logError() throws(MessageError) -> LogError {
    switch try byte() {
    case 1: .lost(to: try optional { (reader) throws(MessageError) in try reader.node() })
    case 2: .full
    case 3: .unavailable(try text())
    case 4: .corrupt(try text())
    case 5: .unreadable(version: try integer(), reason: try text())
    case 6: .unknown
    case 7: .tooLarge
    case 8: .beyondShare(of: try integer(), bound: try text())
    default: throw MessageError()
    }
  }

  mutating func historyError() throws(MessageError) -> HistoryError {
    switch try byte() {
    case 1: .unknownVersion(oldest: try integer(), latest: try integer())
    case 2: .log(try logError())
    default: throw MessageError()
    }
  }

  mutating func sessionError() throws(MessageError) -> SessionError {
    switch try byte() {
    case 1: .unknown
    case 2: .ended
    case 3: .exists
    case 4: .needsParameters
    case 5: .otherParameters
    case 6: .history(try historyError())
    case 7: .tooMany
    case 8: .quarantined
    case 9: .log(try logError())
    default: throw MessageError()
    }
  }

  mutating func cancellation() throws(MessageError) -> EffectCancellation {
    switch try byte() {
    case 1: .ended
    case 2: .overloaded
    case 3: .notCommitted(try logError())
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
    case let error as StateTooDeepError:
      self = .recorded(
        .stateTooLarge, .init(status: error.status, title: error.title, detail: error.detail))
    case is ActionCrashedError: self = .crashed
    case SessionSendError.tooDeep(let key): self = .tooDeep(key)
    case let error as RecordedError where error.kind != nil:
      let reason = ActionFailure.Reason(
        status: error.status, title: error.title, detail: error.detail)
      self = error.kind.map { .recorded($0, reason) } ?? .reason(reason)
    case let error as any ActionError:
      self = .reason(.init(status: error.status, title: error.title, detail: error.detail))
    default: self = .reason(nil)
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

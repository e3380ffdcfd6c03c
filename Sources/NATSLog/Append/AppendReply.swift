internal import ReactorLog
internal import NATSClient
internal import ReactorCoding

/// The reply of a stream to an append.
enum AppendReply: Equatable, Sendable {
  /// The stream has the message, or one with the same message id.
  case stored(sequence: Int, isDuplicate: Bool)
  /// The last message of the subject has another sequence than the append expects.
  case otherSequence(Int)
  /// Another append to the subject is in flight.
  case inFlight
  /// The leader has the message id without a message: a copy of it is under way, or was dropped.
  case idInProcess
  /// The stream has no leader, or cannot reply now.
  case unavailable
  /// The stream has reached its maximum size.
  case full
  /// The message exceeds a limit of the broker.
  case tooLarge
  /// Any other error.
  case rejected(String)

  /// Reads a reply.
  init(_ message: NATSMessage) {
    guard !message.isWithoutResponders, let root = try? JSONDocument(parsing: message.payload).root
    else {
      self = .unavailable
      return
    }
    if let error = root["error"] {
      self.init(
        code: error["err_code"]?.integer() ?? 0, status: error["code"]?.integer() ?? 0,
        error["description"]?.string ?? "")
    } else if let sequence: Int = root["seq"]?.integer(), sequence > 0 {
      self = .stored(sequence: sequence, isDuplicate: root["duplicate"]?.boolean ?? false)
    } else {
      self = .unavailable
    }
  }

  /// Reads an error.
  init(code: Int, status: Int, _ description: String) {
    switch code {
    case 10071:  // "wrong last sequence: N"
      let digits = description.split(separator: " ").last.flatMap { Int($0) }
      self = digits.map { .otherSequence($0) } ?? .unavailable
    case 10164: self = .inFlight
    case 10047: self = .full
    case 10077: self = description.contains("maximum") ? .full : .unavailable
    case 10054: self = .tooLarge
    case 10158: self = .idInProcess  // "duplicate message id is in process"
    case 10008, 10009, 10023, 10063: self = .unavailable
    default: self = status == 503 ? .unavailable : .rejected("\(code) \(description)")
    }
  }
}

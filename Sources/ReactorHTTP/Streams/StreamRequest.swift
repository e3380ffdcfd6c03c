internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The parameters of a request for a stream.
struct StreamRequest {
  let view: StreamView

  /// Whether every version is sent, without conflation.
  let wantsEveryVersion: Bool

  /// Whether the activity of effects is sent.
  let wantsActivity: Bool

  /// The id of the client's last event; the header field wins over the parameter.
  let lastEventID: String?

  /// Parses a request.
  init(_ query: Query, _ request: HTTPRequest) throws(Problem) {
    view = StreamView(
      pointer: try query.pointer("select"), sendsPatches: try query.choice("delta", "patch"))
    wantsEveryVersion = try query.choice("replay", "all")
    wantsActivity = try query.flag("activity")
    lastEventID = request[header: .lastEventID] ?? query["last_event_id"]
  }
}

/// A client's position in a history when it disconnected.
enum StreamPosition: Equatable {
  /// The client is new.
  case beginning

  /// The client has everything up to this cursor.
  case cursor(Cursor)

  /// The client sent something that is not a cursor.
  case unknown

  /// Parses the last event id of a stream of one session.
  init(_ lastEventID: String?) {
    guard let lastEventID else {
      self = .beginning
      return
    }
    self = Cursor(lastEventID).map { .cursor($0) } ?? .unknown
  }

  /// The client's version in the history of a State; `nil` if the position is in another history or
  /// ahead of the State.
  func version(of current: CommittedState) -> Int? {
    guard case .cursor(let cursor) = self, cursor.epoch == current.cursor.epoch,
      cursor.version <= current.version
    else { return nil }
    return cursor.version
  }
}

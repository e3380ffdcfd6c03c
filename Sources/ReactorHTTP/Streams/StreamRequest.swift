internal import ReactorCoding
internal import ReactorHost

/// What a client wants to be streamed, and where it was.
struct StreamRequest {
  let view: StreamView

  /// Whether it wants each version, however far behind it is.
  let wantsEveryVersion: Bool

  /// Whether it wants to know which effects run.
  let wantsActivity: Bool

  /// The last id that it has seen, as it was sent; the header counts before the parameter.
  let lastEventID: String?

  /// Reads a request for a stream.
  init(_ query: Query, _ request: HTTPRequest) throws(Problem) {
    view = StreamView(
      pointer: try query.pointer("select"), sendsPatches: try query.choice("delta", "patch"))
    wantsEveryVersion = try query.choice("replay", "all")
    wantsActivity = try query.flag("activity")
    lastEventID = request[header: .lastEventID] ?? query["last_event_id"]
  }
}

extension Query {
  /// A parameter that is `true` or `false`, or not there, which is `false`.
  fileprivate func flag(_ name: String) throws(Problem) -> Bool {
    switch self[name] {
    case nil, "false": return false
    case "true": return true
    default:
      throw Problem(
        .invalidParameter, "The parameter \(name) takes: true or false.",
        members: [.init("parameter", .string(name))])
    }
  }

  /// Whether a parameter is there that takes one value only.
  fileprivate func choice(_ name: String, _ value: String) throws(Problem) -> Bool {
    guard let text = self[name] else { return false }
    guard text == value else {
      throw Problem(
        .invalidParameter, "The parameter \(name) takes: \(value).",
        members: [.init("parameter", .string(name))])
    }
    return true
  }
}

/// Where a client was in a history when it left.
enum StreamPosition: Equatable {
  /// It was not there yet.
  case beginning

  /// It had seen everything up to here.
  case cursor(Cursor)

  /// It came with what is no cursor.
  case unknown

  /// Reads the last id of a stream of one session.
  init(_ lastEventID: String?) {
    guard let lastEventID else {
      self = .beginning
      return
    }
    self = Cursor(lastEventID).map { .cursor($0) } ?? .unknown
  }

  /// The version that was reached of the history that a state is of; `nil` where it is no version of
  /// that history, or not yet.
  func version(of current: CommittedState) -> Int? {
    guard case .cursor(let cursor) = self, cursor.epoch == current.cursor.epoch,
      cursor.version <= current.version
    else { return nil }
    return cursor.version
  }
}

internal import Identity
internal import ReactorHost
internal import ReactorLog

/// The changes that a request selects, and the data that it requests with them.
struct ChangeFilter: Sendable {
  /// The additional data of a change.
  enum Content: String, Sendable {
    case entries, state
  }

  /// The reactors whose changes are sent; if empty, the changes of all reactors and globals are
  /// sent.
  private let reactors: Set<String>
  /// The session whose changes are sent, or `nil` for all.
  private let session: String?
  let content: Content?
  /// Returns whether the client may read a session; for `nil`, whether it may read the globals.
  private let mayRead: @Sendable (SessionKey?) -> Bool

  /// Parses the parameters of a request.
  init(
    _ query: Query, of host: Host, for call: Call
  ) throws(Problem) {
    let names = query.all("reactor")
    for name in names {
      guard call.scope.maySee(try host.hostedReactor(name)) else { throw .unknownReactor }
    }
    reactors = Set(names)
    session = query["session"]
    if let session {
      guard reactors.count == 1 else {
        throw .invalid(
          parameter: "session", "The parameter session takes a session of exactly one reactor.")
      }
      guard SessionKey.isValid(id: session) else { throw .invalidSessionID() }
    }
    content = try query.choice("with", of: ["entries", "state"]).flatMap { Content(rawValue: $0) }
    mayRead = call.readableSessions(of: host)
  }

  /// Whether a change is sent.
  func matches(_ change: StoreChange) -> Bool {
    guard let key = change.key else {
      if case .global(Revocation.storedName) = change.kind { return false }
      return reactors.isEmpty && mayRead(nil)
    }
    return (reactors.isEmpty || reactors.contains(key.reactor)) && session ?? key.id == key.id
      && mayRead(key)
  }

  /// The parameters in the query of an address, each preceded by `&`.
  var query: String {
    reactors.sorted().map { "&reactor=\($0)" }.joined()
      + (session.map { "&session=\($0)" } ?? "") + (content.map { "&with=\($0.rawValue)" } ?? "")
  }
}

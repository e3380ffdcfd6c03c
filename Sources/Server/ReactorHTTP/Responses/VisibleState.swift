internal import Identity
internal import ReactorCoding
internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Shares
internal import Telemetry

/// A State as one client may see it: the only form in which responses contain States.
///
/// Only this file creates one, so that no endpoint can send a State of a projected reactor as it is.
struct VisibleState: Sendable {
  /// The position of the State.
  let cursor: Cursor

  /// The State, the view of the client's audience, or a part of it.
  let json: [UInt8]

  /// Whether other clients see something else at the same position: no cache may store it.
  let isView: Bool

  /// The version of the State.
  var version: Int { cursor.version }

  /// The value of a global: every client that may read it sees all of it.
  init(ofGlobal value: CommittedState) {
    self.init(value, isView: false)
  }

  fileprivate init(_ state: CommittedState, isView: Bool) {
    self.init(cursor: state.cursor, json: state.json, isView: isView)
  }

  private init(cursor: Cursor, json: [UInt8], isView: Bool) {
    self.cursor = cursor
    self.json = json
    self.isView = isView
  }

  /// Returns the selected part, or `nil` if there is none.
  func part(at pointer: JSONPointer) -> VisibleState? {
    guard let part = try? pointer.bytes(in: json) else { return nil }
    return VisibleState(cursor: cursor, json: Array(part), isView: isView)
  }
}

/// A State, or the reason for which a client does not see it.
enum Visibility: Sendable {
  case visible(VisibleState)

  /// The client is in no audience.
  case nothing

  /// The projection has failed; the error is in the log.
  case failed
}

extension RequestScope {
  /// Returns what the client sees of a State of the session in the path.
  ///
  /// - Parameters:
  ///   - state: The State.
  ///   - session: The session, or `nil` if another process has executed the request.
  /// - Returns: All of the State, unless the reactor is projected.
  func visibility(of state: CommittedState, in session: (any Session)?) -> Visibility {
    guard let reactor = head.reactor else { return .nothing }
    guard let projector = reactor.projector else {
      return .visible(VisibleState(state, isView: false))
    }
    guard let session else { return .nothing }
    return visibility(of: state, viewer(of: session.key, session.parameters), projector)
  }

  /// Returns the State as the client sees it.
  ///
  /// - Parameters:
  ///   - state: The State.
  ///   - reactor: The reactor.
  ///   - id: The id of the session.
  ///   - parameters: The parameters of the session.
  /// - Returns: All of the State, unless the reactor is projected.
  /// - Throws: If the client sees nothing of it.
  func visible(
    _ state: CommittedState, of reactor: any HostedReactor, _ id: String, _ parameters: [UInt8]?
  ) throws(Problem) -> VisibleState {
    guard let projector = reactor.projector else { return VisibleState(state, isView: false) }
    let viewer = viewer(of: SessionKey(reactor: reactor.name, id: id), parameters)
    switch visibility(of: state, viewer, projector) {
    case .visible(let state): return state
    case .nothing: throw noAudience
    case .failed: throw .viewFailed
    }
  }

  /// Returns the client as a projection knows it.
  func viewer(of key: SessionKey, _ parameters: [UInt8]?) -> Viewer {
    Viewer(
      of: key, as: principal, name: head.viewerName, encodedParameters: parameters)
  }

  /// Returns what the client sees of a State that is known by its bytes, or `nil` for nothing.
  func view(
    of state: CommittedState, in reactor: any HostedReactor, _ key: SessionKey,
    _ parameters: [UInt8]?
  ) -> VisibleState? {
    try? visible(state, of: reactor, key.id, parameters)
  }

  /// The problem of a client that is in no audience.
  var noAudience: Problem {
    if let access, !access.isAuthenticated { return .unauthorized(nil) }
    return .forbidden(.read, "The client may not see this session: its State has no view for it.")
  }

  private func visibility(
    of state: CommittedState, _ viewer: Viewer, _ projector: StateProjector
  ) -> Visibility {
    do {
      let state = try projector.read(state)
      guard let audience = try state.audience(of: viewer) else { return .nothing }
      return .visible(VisibleState(try state.view(for: audience), isView: true))
    } catch {
      api.logger.projectionFailed(error, viewer.session, account: account)
      return .failed
    }
  }
}

extension Logger {
  /// Writes the error of a projection; the client gets no detail.
  func projectionFailed(_ error: any Error, _ key: SessionKey, account: Account?) {
    log(
      LogLevel.error.within(account), "projection failed",
      fields: [("reactor", key.reactor), ("session", key.id), ("error", "\(error)")])
  }
}

extension Problem {
  /// The problem of a client whose view fails.
  static var viewFailed: Problem {
    var problem = Problem(
      .effectFailed,
      "The projection of the reactor has failed. The log of the service has the error.")
    problem.title = "The view failed"
    return problem
  }
}

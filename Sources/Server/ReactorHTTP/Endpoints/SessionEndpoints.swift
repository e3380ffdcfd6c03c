internal import Identity
internal import ReactorLog
internal import ReactorCoding
internal import ReactorHost
internal import ReactorTransport

/// The sessions of a reactor: lists, life cycle and State.
struct SessionEndpoints {
  let host: Host

  init(host: Host) {
    self.host = host
  }

  private static let collection = "/v1/reactors/{reactor}/sessions"
  private static let session = "/v1/reactors/{reactor}/sessions/{session}"

  var all: [Endpoint] {
    [
      Endpoint(
        .get, Self.collection, needs: .read, traits: [.background, .projected], handler: list,
        operation: Operation(
          "listSessions", "The sessions of a reactor, in pages",
          parameters: [.reactor, .limit, .afterSession, .sessionPrefix],
          responses: [
            .init(
              200, "A page of sessions, in the order of their ids", headers: [.link],
              .json(.component("SessionList")))
          ],
          problems: [.invalidParameter, .unknownReactor, .notAcceptable])),
      Endpoint(
        .post, Self.collection, needs: .manage, traits: .projected, handler: create,
        operation: Operation(
          "createSession", "Create a session, or fork another one", parameters: [.reactor],
          body: .component("NewSession"), isBodyRequired: false,
          responses: [
            .init(
              201, "The new session's State; no body without the right to read",
              headers: [.etag, .location, .sessionParameters], .json(.state))
          ],
          problems: [
            .malformedJSON, .invalidSessionID, .foreignOrigin, .unknownReactor, .unknownSession,
            .unknownVersion, .sessionEnded, .sessionExists, .unsupportedMediaType, .invalidBody,
            .parametersRequired, .notAcceptable, .bodyTooLarge, .storageFull,
          ])),
      Endpoint(
        .get, Self.session, needs: .read, traits: .projected, handler: showState,
        operation: readState("readSession")),
      Endpoint(
        .put, Self.session, needs: .manage,
        traits: [.asksDelegate, .projected, .takesPreconditions], handler: ensure,
        operation: Operation(
          "ensureSession", "Create the session if it does not exist",
          parameters: [.reactor, .session, .ifMatch, .ifNoneMatch],
          body: .component("EnsuredSession"),
          isBodyRequired: false,
          responses: [
            .init(
              200, "It exists; its State", headers: [.etag, .sessionParameters], .json(.state)),
            .init(
              201, "It is new; its State, without the right to read no body",
              headers: [.etag, .location, .sessionParameters], .json(.state)),
            .init(204, "It exists, and the client may not read its State", headers: [.etag]),
          ],
          problems: [
            .malformedJSON, .invalidParameter, .invalidSessionID, .foreignOrigin, .unknownReactor,
            .sessionExists, .versionMismatch, .unsupportedMediaType, .invalidBody,
            .parametersRequired, .notAcceptable,
            .bodyTooLarge, .storageFull,
          ])),
      Endpoint(
        .delete, Self.session, needs: .manage, asks: .end, traits: .projected, handler: end,
        operation: Operation(
          "endSession", "End the session", parameters: [.reactor, .session],
          responses: [.init(204, "It is gone, or never existed")],
          problems: [.invalidSessionID, .foreignOrigin, .unknownReactor, .storageFull])),
      Endpoint(
        .get, Self.session + "/state", needs: .read, traits: .projected, handler: showState,
        operation: readState("readState")),
      Endpoint(
        .get, Self.session + "/parameters", needs: .read, traits: .projected,
        handler: showParameters,
        operation: Operation(
          "readParameters", "The parameters that the session was created with",
          parameters: [.reactor, .session], content: .json(.inline([:])),
          problems: [
            .invalidSessionID, .unknownReactor, .unknownSession, .sessionEnded, .parametersRequired,
          ])),
    ]
  }

  private func readState(_ id: String) -> Operation {
    Operation(
      id, "The session's State", detail: "With `select` a part of it, which may be any JSON.",
      parameters: [.reactor, .session, .version, .select, .ifNoneMatch],
      responses: [
        .init(
          200, "The State, or the selected part", headers: [.etag, .sessionParameters],
          .json(.statePart)),
        .init(304, "The client has this State already", headers: [.etag]),
      ],
      problems: [
        .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession, .unknownVersion,
        .notFound, .sessionEnded, .invalidPointer, .parametersRequired, .notAcceptable,
      ])
  }

  // MARK: Life cycle

  private struct NewSession: Decodable {
    struct Origin: Decodable {
      let session: String
      let version: Int?
      let timers: Bool?
    }

    let id: String?
    let from: Origin?
    let parameters: EncodedJSON?
  }

  /// The body of a PUT, whose address has the id.
  private struct EnsuredSession: Decodable {
    let parameters: EncodedJSON?
  }

  private func create(_ call: Call) throws(Problem) {
    let reactor = try call.reactor(in: host)
    try call.negotiate()
    let wanted = try call.body(
      NewSession.self,
      or: "The body takes an optional id, an optional from, and optional parameters.")
    let id = wanted?.id ?? call.scope.decision.generatedID()
    guard SessionKey.isValid(id: id) else { throw .invalidSessionID(pointer: "/id") }
    let parameters = try parameters(wanted?.parameters, reactor)
    if let problem = call.scope.creationProblem { throw problem }
    let isReadable = try call.scope.mayRead(id, of: reactor)
    guard let origin = wanted?.from else {
      try call.scope.require(.manage, .create, reactor, id, parameters: parameters)
      return call.respondAtOnce { () throws(Problem) in
        try await response(to: call, reactor, id, isReadable) { () async throws(SessionError) in
          try await reactor.session(id, for: .create, parameters: parameters)
        }
      }
    }
    guard SessionKey.isValid(id: origin.session) else {
      throw .invalidSessionID(pointer: "/from/session")
    }
    let source = SessionKey(reactor: reactor.name, id: origin.session)
    try call.scope.require(.read, .read, reactor, origin.session)
    try call.scope.requireInspection(of: reactor, origin.session)
    try call.scope.require(.manage, .fork(from: source), reactor, id, parameters: parameters)
    let copiesTimers = origin.timers == true
    if copiesTimers, origin.version != nil { throw Self.timersOfVersion }
    // A fork folds the log up to the version.
    try call.respondInBackground { () throws(Problem) in
      try await response(to: call, reactor, id, isReadable) { () async throws(SessionError) in
        copiesTimers
          ? try await reactor.forkWithTimers(origin.session, to: id, parameters: parameters)
          : try await reactor.fork(
            origin.session, at: origin.version, to: id, parameters: parameters)
      }
    }
  }

  /// Returns the response with the session that a function creates, which counts for the client.
  private func response(
    to call: Call, _ reactor: any HostedReactor, _ id: String, _ isReadable: Bool,
    creating create: () async throws(SessionError) -> OpenedSession
  ) async throws(Problem) -> HTTPResponse {
    try call.scope.takeCreation()
    do throws(SessionError) {
      return created(try await create().session, reactor, id, isReadable, call.scope)
    } catch {
      call.scope.giveBackCreation()
      throw Problem(error)
    }
  }

  private static var timersOfVersion: Problem {
    Problem(
      .invalidBody,
      "Timers are not part of the log: a fork has them at the current version only. Omit version.",
      members: [.init("pointer", "/from/timers"), .init("expected", .array(["false"]))])
  }

  /// Returns the validated parameters of a body, or `nil` if it has none.
  private func parameters(
    _ wanted: EncodedJSON?, _ reactor: any HostedReactor
  ) throws(Problem) -> [UInt8]? {
    guard let parameters = wanted else { return nil }
    do throws(ActionDecodingError) {
      return try reactor.normalize(parameters: Array(parameters.bytes))
    } catch {
      guard case .invalid(let pointer, let expected, let detail) = error else {
        throw Problem(error, kind: .invalidBody)
      }
      throw Problem(
        .invalid(pointer: "/parameters" + pointer, expected: expected, detail: detail),
        kind: .invalidBody)
    }
  }

  private func created(
    _ session: any Session, _ reactor: any HostedReactor, _ id: String, _ isReadable: Bool,
    _ scope: RequestScope
  ) -> HTTPResponse {
    var response = Self.representation(of: session, reactor, isReadable, scope, status: 201)
    response.headers.appendLocation(ofSession: id, of: reactor.name)
    return response
  }

  /// Returns the State and the parameters of a session; only its cursor to a client that may not read
  /// them.
  private static func representation(
    of session: any Session, _ reactor: any HostedReactor, _ isReadable: Bool,
    _ scope: RequestScope, status: Int = 200
  ) -> HTTPResponse {
    let current = session.current
    // The request has had its effect: a client that sees nothing, or whose view fails, gets no problem.
    guard isReadable, scope.mayStillRead(session.key.id, of: reactor),
      let state = try? scope.visible(current, of: reactor, session.key.id, session.parameters)
    else { return .hiddenState(at: current.cursor, status: status) }
    return .state(state, status: status, headers: field(session.parameters))
  }

  private func ensure(_ call: Call) throws(Problem) {
    let reactor = try call.reactor(in: host)
    let id = try call.sessionID()
    try call.negotiate()
    let wanted = try call.body(EnsuredSession.self, or: "The body takes optional parameters.")
    let parameters = try parameters(wanted?.parameters, reactor)
    let preconditions = try Preconditions(of: call.request)
    try call.scope.askDelegate(.create, reactor, id, parameters: parameters)
    let isReadable = try call.scope.mayRead(id, of: reactor)
    @Sendable func requirePreconditions(at cursor: Cursor) throws(Problem) {
      guard preconditions.hold(at: cursor) else {
        throw Preconditions.problem("session", at: cursor)
      }
    }
    call.respondAtOnce { () throws(Problem) in
      do throws(Problem) {
        if preconditions.requireExistence { throw Preconditions.problem("session", at: nil) }
        try call.scope.takeCreation()
      } catch {
        // The request must not create a session: use a stored one, or respond with the problem.
        await call.takeTurnToRead()
        let session = try await call.storedSession(of: reactor, id, orElse: error)
        try requirePreconditions(at: session.current.cursor)
        let own = session.parameters.flatMap { try? reactor.normalize(parameters: $0) }
        guard parameters == nil || parameters == session.parameters || parameters == own else {
          throw Problem(SessionError.otherParameters)
        }
        return Self.representation(of: session, reactor, isReadable, call.scope)
      }
      let opened: OpenedSession
      do throws(SessionError) {
        opened = try await reactor.session(id, for: .ensure, parameters: parameters)
      } catch {
        call.scope.giveBackCreation()
        throw Problem(error)
      }
      guard !opened.wasCreated else {
        return created(opened.session, reactor, id, isReadable, call.scope)
      }
      call.scope.giveBackCreation()
      try requirePreconditions(at: opened.session.current.cursor)
      return Self.representation(of: opened.session, reactor, isReadable, call.scope)
    }
  }

  // MARK: Parameters

  /// The maximum length of the field `Session-Parameters`.
  private static let fieldLimit = 4096

  /// Returns the parameters as a field; no field if there are no parameters, or they are too long.
  private static func field(_ parameters: [UInt8]?) -> HTTPFields {
    guard let json = parameters, json.count <= fieldLimit,
      let field = JSONText.ascii(json), field.utf8.count <= fieldLimit
    else { return [:] }
    return ["Session-Parameters": field]
  }

  private func showParameters(_ call: Call) async throws(Problem) -> HTTPResponse {
    let reactor = try call.reactor(in: host)
    let id = try call.sessionID()
    try call.negotiate()
    let (state, parameters) =
      switch try await call.findSession(of: reactor, id) {
      case .open(let session): (session.current, session.parameters)
      case .absent(let initial): (initial, reactor.description.parameters?.default)
      }
    // The client may read the parameters if it may read the State.
    _ = try call.scope.visible(state, of: reactor, id, parameters)
    return .json(encoding: parameters.map { EncodedJSON(trusted: $0) })
  }

  private func end(_ call: Call) async throws(Problem) -> HTTPResponse {
    let reactor = try call.reactor(in: host)
    let id = try call.sessionID()
    // The end of a session that never existed is stored too, and so counts as its creation.
    let isCounted =
      call.scope.api.creationLimiter != nil && reactor.liveSession(id)?.isStored != true
      && (try? host.hasRecord(of: SessionKey(reactor: reactor.name, id: id))) == false
    if isCounted { try call.scope.takeCreation() }
    do throws(SessionError) {
      try await reactor.endSession(id)
      return HTTPResponse(status: 204)
    } catch {
      if isCounted { call.scope.giveBackCreation() }
      throw Problem(error)
    }
  }

  // MARK: State

  private func showState(_ call: Call) throws(Problem) {
    let reactor = try call.reactor(in: host)
    let id = try call.sessionID()
    try call.negotiate()
    let query = try call.query()
    let version = try query.integer("version", in: 0...Int.max)
    let pointer = try query.pointer("select")
    let known = try EntityTags(of: call.request, in: .ifNoneMatch, name: "If-None-Match")
    @Sendable func initialState(_ initial: CommittedState) throws(Problem) -> HTTPResponse {
      let parameters = reactor.description.parameters?.default
      let seen = try call.scope.visible(initial, of: reactor, id, parameters)
      guard version ?? 0 == 0 else {
        throw Problem(HistoryError.unknownVersion(oldest: 0, latest: 0))
      }
      return try Self.representation(of: seen, pointer, known, Self.field(parameters))
    }
    guard let version else {
      return call.respondAtOnce { () throws(Problem) in
        if reactor.liveSession(id) == nil { await call.takeTurnToRead() }
        switch try await call.findSession(of: reactor, id) {
        case .absent(let initial): return try initialState(initial)
        case .open(let session):
          let seen = try call.scope.visible(session.current, of: reactor, id, session.parameters)
          return try Self.representation(
            of: seen, pointer, known, Self.field(session.parameters), since: session.formerVersion)
        }
      }
    }
    try call.respondInBackground { () throws(Problem) in
      let history: any HistorySource
      switch try await call.findHistory(of: reactor, id) {
      case .open(let found): history = found
      case .absent(let initial): return try initialState(initial)
      }
      try call.scope.requireCurrentView(of: history, reactor, id)
      let found: CommittedState
      do throws(HistoryError) {
        found = try await history.state(at: version)
      } catch {
        throw Problem(error)
      }
      let seen = try call.scope.visible(found, of: reactor, id, history.parameters)
      return try Self.representation(
        of: seen, pointer, known, Self.field(history.parameters), since: history.formerVersion)
    }
  }

  private static func representation(
    of state: VisibleState, _ pointer: JSONPointer?, _ known: EntityTags?,
    _ headers: HTTPFields, since formerVersion: Int = -1
  ) throws(Problem) -> HTTPResponse {
    if let response = HTTPResponse.notModified(state, since: formerVersion, known) {
      return response
    }
    guard let pointer else { return .state(state, headers: headers) }
    guard let part = state.part(at: pointer) else {
      throw Problem(
        .notFound, "The State has nothing at this pointer.",
        members: [.init("pointer", .string("\(pointer)"))])
    }
    return .state(part, headers: headers)
  }
}

extension HTTPFields {
  /// Appends `Location` with the address of a session.
  ///
  /// Writes the parts in place: as a string, the address took three allocations per created session.
  fileprivate mutating func appendLocation(ofSession id: String, of reactor: String) {
    let (start, middle): (StaticString, StaticString) = ("/v1/reactors/", "/sessions/")
    var (reactor, id) = (reactor, id)
    reactor.withUTF8 { reactor in
      id.withUTF8 { id in
        let (startCount, middleCount) = (start.utf8CodeUnitCount, middle.utf8CodeUnitCount)
        let count = startCount + reactor.count + middleCount + id.count
        unsafe append("Location", byteCount: count) { room in
          var end = unsafe room
          func write(_ part: UnsafePointer<UInt8>?, _ count: Int) {
            guard let part = unsafe part else { return }
            unsafe end.initialize(from: part, count: count)
            unsafe end += count
          }
          unsafe write(start.utf8Start, startCount)
          unsafe write(reactor.baseAddress, reactor.count)
          unsafe write(middle.utf8Start, middleCount)
          unsafe write(id.baseAddress, id.count)
        }
      }
    }
  }
}

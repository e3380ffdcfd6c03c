internal import ReactorCoding
internal import ReactorHost

extension ReactorAPI {
  private static let defaultLimit = 100

  // MARK: Listing

  private struct Listing: Encodable {
    struct Entry: Encodable {
      let id: String
      let cursor: String
      let subscribers: Int
      let lastActiveAt: String
    }

    let sessions: [Entry]
  }

  func listSessions(
    of reactor: any HostedReactor, _ request: HTTPRequest
  ) throws(Problem) -> HTTPResponse {
    try negotiate(request, "application/json")
    let query = try Query(request.query)
    let limit = try query.integer("limit", in: 1...1000) ?? Self.defaultLimit
    let sessions: [SessionSummary]
    do {
      // One more than asked for tells whether there is a next page.
      sessions = try reactor.sessions(after: query["after"], limit: limit + 1)
    } catch {
      throw problem(for: error)
    }
    let page = sessions.prefix(limit)
    var headers = Answer.revalidated
    if sessions.count > limit, let last = page.last {
      headers.append(
        "Link",
        "</v1/reactors/\(reactor.name)/sessions?limit=\(limit)&after=\(last.id)>; rel=\"next\"")
    }
    return Answer.json(
      encoding: Listing(
        sessions: page.map {
          Listing.Entry(
            id: $0.id, cursor: $0.cursor.description, subscribers: $0.subscribers,
            lastActiveAt: $0.lastActiveAt.description)
        }), headers: headers)
  }

  // MARK: Making and ending

  private struct NewSession: Decodable {
    struct Origin: Decodable {
      let session: String
      let version: Int?
    }

    let id: String?
    let from: Origin?
  }

  func createSession(
    of reactor: any HostedReactor, _ request: HTTPRequest,
    _ answer: @escaping HTTPAnswer
  ) throws(Problem) {
    try negotiate(request, "application/json")
    let wish = try newSession(request)
    let id = wish?.id ?? SessionKey.generatedID()
    guard SessionKey.isValid(id: id) else { throw Self.invalidSessionID(pointer: "/id") }
    if let origin = wish?.from {
      guard SessionKey.isValid(id: origin.session) else {
        throw Self.invalidSessionID(pointer: "/from/session")
      }
      return reactor.fork(origin.session, at: origin.version, to: id) { [self] result in
        answer(created(result, reactor, id))
      }
    }
    reactor.session(id, for: .create) { [self] result in answer(created(result, reactor, id)) }
  }

  private func newSession(_ request: HTTPRequest) throws(Problem) -> NewSession? {
    guard !request.body.isEmpty else { return nil }
    try requireJSON(request)
    do {
      return try JSONCoder.decode(NewSession.self, from: request.body)
    } catch let error as JSONSyntaxError {
      throw problem(
        for: .malformed(offset: error.offset, reason: error.reason), kind: .invalidBody)
    } catch let error as JSONDecodingFailure {
      throw problem(
        for: .invalid(pointer: error.pointer, expected: error.expected, detail: error.detail),
        kind: .invalidBody)
    } catch {
      throw Problem(.invalidBody, "The body takes an optional id and an optional from.")
    }
  }

  private func created(
    _ result: Result<OpenedSession, SessionError>, _ reactor: any HostedReactor, _ id: String
  ) -> HTTPResponse {
    switch result {
    case .success(let opened):
      // Several times faster than an interpolation, and once a session.
      let location = "/v1/reactors/" + reactor.name + "/sessions/" + id
      return Answer.state(
        opened.session.current, status: 201, headers: ["Location": location])
    case .failure(let error): return problem(for: error).response
    }
  }

  func ensureSession(
    of reactor: any HostedReactor, _ id: String, _ request: HTTPRequest,
    _ answer: @escaping HTTPAnswer
  ) throws(Problem) {
    try negotiate(request, "application/json")
    reactor.session(id, for: .ensure) { [self] result in
      switch result {
      case .success(let opened) where opened.wasCreated: answer(created(result, reactor, id))
      case .success(let opened): answer(Answer.state(opened.session.current))
      case .failure(let error): answer(problem(for: error).response)
      }
    }
  }

  func endSession(
    of reactor: any HostedReactor, _ id: String,
    _ answer: @escaping HTTPAnswer
  ) {
    reactor.endSession(id) { [self] result in
      switch result {
      case .success: answer(HTTPResponse(status: 204))
      case .failure(let error): answer(problem(for: error).response)
      }
    }
  }

  // MARK: Reading

  /// Gives the session that a request uses, or the problem that there is none.
  func withSession(
    of reactor: any HostedReactor, _ id: String,
    _ answer: @escaping HTTPAnswer,
    _ body: @escaping @Sendable (any Session) throws(Problem) -> Void
  ) {
    reactor.session(id, for: .use) { [self] result in
      switch result {
      case .success(let opened):
        do throws(Problem) {
          try body(opened.session)
        } catch {
          answer(error.response)
        }
      case .failure(let error): answer(problem(for: error).response)
      }
    }
  }

  func showState(
    of reactor: any HostedReactor, _ id: String, _ request: HTTPRequest,
    _ answer: @escaping HTTPAnswer
  ) throws(Problem) {
    try negotiate(request, "application/json")
    let query = try Query(request.query)
    let version = try query.integer("version", in: 0...Int.max)
    let pointer = try query.pointer("select")
    let known = try EntityTags(of: request, in: .ifNoneMatch, name: "If-None-Match")
    withSession(of: reactor, id, answer) { [self] (session) throws(Problem) in
      let state = try state(of: session, at: version)
      if let known, known.contains(state.cursor) {
        return answer(Answer.notModified(state.cursor, known))
      }
      guard let pointer else { return answer(Answer.state(state)) }
      guard let part = try? pointer.bytes(in: state.json) else {
        throw Problem(
          .notFound, "The State has nothing at this pointer.",
          members: [.init("pointer", .string("\(pointer)"))])
      }
      answer(Answer.state(CommittedState(cursor: state.cursor, json: Array(part))))
    }
  }

  private func state(
    of session: any Session, at version: Int?
  ) throws(Problem) -> CommittedState {
    guard let version else { return session.current }
    do {
      return try session.state(at: version)
    } catch {
      throw problem(for: error)
    }
  }

  func problem(for error: HistoryError) -> Problem {
    switch error {
    case .unknownVersion(let oldest, let latest):
      Problem(
        .unknownVersion, "The session has versions \(oldest) to \(latest).",
        members: [
          .init("oldest", .number(JSONNumber(oldest))),
          .init("latest", .number(JSONNumber(latest))),
        ])
    case .log(let error): problem(for: error)
    }
  }
}

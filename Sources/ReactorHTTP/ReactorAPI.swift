public import ReactorHost
internal import ReactorCoding
internal import Synchronization

/// The service's contract with its clients: takes requests from a transport and answers them from
/// a host.
///
/// It keeps nothing about a client between requests, but for the streams that are open.
public final class ReactorAPI: HTTPResponder {
  /// What the service may be told to do differently.
  ///
  /// Each has the name of its setting.
  public struct Settings: Sendable {
    /// `actions.wait`: how long the answer to an action waits for its effect.
    public var actionWait = Duration.seconds(5)

    /// `streams.buffer`: how many events a subscriber may be behind.
    public var streamBuffer = 256

    /// `streams.sessions`: how many sessions one stream may show.
    public var streamSessions = 100

    /// What a request that the service cannot take now is told to wait, in seconds.
    public var retryAfter = 1

    /// The version of the service, as `/openapi.json` tells it.
    public var version = "0"

    /// What `/metrics` shows beside the figures of the host and of the service itself.
    public var metrics: [any MetricsSource] = []

    /// `limits.rate`: how many requests each client may send a second; 0 for any number.
    public var requestRate = 0

    /// `limits.subscribers`: how many streams may watch one session; 0 for any number.
    public var subscriberLimit = 0

    /// `http.proxies`: whose word about their clients' addresses is taken.
    public var trustedProxies = TrustedProxies()

    /// `http.compression`: when answers are compressed; `nil` for never.
    public var compression: AnswerCompression?

    /// `cors.*`: which web pages of other origins may use the service.
    public var crossOrigin = CrossOrigin()

    /// `auth.tokens`: who may do what; `nil` where everyone may do everything.
    public var tokens: AccessTokens?

    /// `auth.query`: whether a stream's address may hold the token.
    public var takesTokenInQuery = false

    /// `log.access`: the level of the line that each request leaves in the log.
    public var accessLog = LogLevel.debug

    /// Makes the settings with their defaults.
    public init() {}
  }

  let host: Host
  let settings: Settings
  let logger: Logger
  let channels: EventChannels
  let waitingRoom = WaitingRoom()
  let requestCounts = RequestCounts()
  let rateLimiter: RateLimiter?
  /// `/openapi.json`, made with its first reading.
  let openAPI = Mutex<[UInt8]?>(nil)
  private let draining = Atomic<Bool>(false)

  /// Makes the service.
  public convenience init(
    host: Host, settings: Settings = Settings(), logger: Logger = .silent
  ) {
    // One that reads a disk, and one beside it that compares states.
    self.init(host: host, settings: settings, logger: logger, background: WorkerPool(width: 2))
  }

  init(host: Host, settings: Settings, logger: Logger, background: WorkerPool) {
    self.host = host
    self.settings = settings
    self.logger = logger
    rateLimiter = settings.requestRate > 0 ? RateLimiter(limit: settings.requestRate) : nil
    channels = EventChannels(bound: settings.streamBuffer, background: background)
  }

  /// Whether the service is stopping.
  public var isDraining: Bool {
    draining.load(ordering: .acquiring)
  }

  /// Begins to stop: requests that run are finished, new ones are refused, streams are told to come
  /// back and end.
  ///
  /// Calling it again does nothing.
  public func drain() {
    guard !draining.exchange(true, ordering: .acquiringAndReleasing) else { return }
    channels.drain()
  }

  // MARK: Answering

  /// Answers one request, at once or later.
  public func respond(
    to request: HTTPRequest, answer: @escaping HTTPAnswer
  ) {
    let route = Route(path: request.path)
    let scope = RequestScope(request, at: route?.address, in: self, answer: answer)
    do {
      try admit(request, scope)
      try serve(route, request, scope)
    } catch {
      scope.send(error.response)
    }
  }

  /// The answer to a request that the transport refuses.
  public func refusal(of reason: HTTPRefusal, to request: HTTPRequest?) -> HTTPResponse {
    let problem =
      switch reason {
      case .bodyTooLarge(let limit):
        Problem(
          .bodyTooLarge, "A body is at most \(limit) bytes here (limits.body). Send less at once.",
          members: [.init("limit", .number(JSONNumber(limit)))])
      case .headersTooLarge(let limit):
        Problem(
          .headersTooLarge,
          "The request line and header fields are at most \(limit) bytes here (limits.headers).",
          members: [.init("limit", .number(JSONNumber(limit)))])
      case .tooManyConnections(let limit):
        Problem(
          .rateLimited,
          "An address has at most \(limit) connections here (limits.address). Close one first.",
          members: [.init("limit", .number(JSONNumber(limit)))], headers: ["Retry-After": "5"])
      }
    let scope = request.map { request in
      RequestScope(request, at: Route(path: request.path)?.address, in: self) { _ in }
    }
    return finish(problem.response, scope ?? RequestScope(refusedBy: self))
  }

  private func serve(
    _ route: Route?, _ request: HTTPRequest, _ scope: RequestScope
  ) throws(Problem) {
    if request.method == "OPTIONS", request.path == "*" {
      // The server as a whole (RFC 9110, 9.3.7), not one of its addresses.
      return scope.send(HTTPResponse(status: 204, headers: ["Allow": Address.everyMethod]))
    }
    guard let route else {
      throw Problem(.notFound, "There is nothing at this address. GET /v1/reactors lists what is.")
    }
    let address = route.address
    if request.method == "OPTIONS" {
      let headers = settings.crossOrigin.preflightHeaders(for: request, methods: address.allowed)
      return scope.send(HTTPResponse(status: 204, headers: ["Allow": address.allowed] + headers))
    }
    guard address.methods.contains(request.method) else {
      throw Problem(
        .methodNotAllowed, "This address has \(address.allowed).",
        headers: ["Allow": address.allowed])
    }
    if case .health = route {
      try negotiate(request, "application/json")
      return scope.send(Answer.status("ok"))
    }
    // A stream is told by itself: any status but 200 would stop a browser's EventSource for good.
    if isDraining, !route.isStream { throw unavailable("The service is stopping.") }
    try dispatch(route, request, scope) { scope.send($0) }
  }

  private func dispatch(
    _ route: Route, _ request: HTTPRequest, _ scope: RequestScope,
    _ answer: @escaping HTTPAnswer
  ) throws(Problem) {
    switch route {
    case .page: answer(try page(request))
    case .pageFile(let file): answer(try pageFile(file, request))
    case .examples: answer(try pageFile(.examples, request))
    case .problem(let kind): answer(try problemPage(kind, request))
    case .health: break  // answered before, also while draining
    case .readiness:
      try negotiate(request, "application/json")
      answer(Answer.status("ready"))
    case .metrics: answer(try showMetrics(request))
    case .openAPI: answer(try showOpenAPI(request))
    case .catalogue: answer(try catalogue(request))
    case .reactor(let name): answer(try describe(try reactor(name), request))
    case .types(let name): answer(try declareTypes(of: try reactor(name), request))
    case .sessions(let name):
      let reactor = try reactor(name)
      if request.method == "POST" {
        try createSession(of: reactor, request, answer)
      } else {
        answer(try listSessions(of: reactor, request))
      }
    case .session(let name, let id):
      let reactor = try reactor(name)
      try check(id)
      switch request.method {
      case "PUT": try ensureSession(of: reactor, id, request, answer)
      case "DELETE": endSession(of: reactor, id, answer)
      default: try showState(of: reactor, id, request, answer)
      }
    case .state(let name, let id):
      try showState(of: try reactor(name), try checked(id), request, answer)
    case .actions(let name, let id):
      try runActions(of: try reactor(name), try checked(id), request, scope.context, answer)
    case .events(let name, let id):
      try openStream(of: try reactor(name), try checked(id), request, answer)
    case .manyEvents: try openStreamOfMany(request, answer)
    case .log(let name, let id):
      try showLog(of: try reactor(name), try checked(id), request, answer)
    case .effects(let name, let id):
      try listEffects(of: try reactor(name), try checked(id), request, answer)
    case .effect(let name, let id, let effect):
      cancelEffect(effect, of: try reactor(name), try checked(id), answer)
    case .globals: answer(try listGlobals(request))
    case .global(let name): try serveGlobal(name, request, answer)
    case .globalEvents(let name): answer(try openStream(of: try global(name), request))
    }
  }

  // MARK: What several addresses need

  func reactor(_ name: String) throws(Problem) -> any HostedReactor {
    guard let reactor = host.reactor(name) else {
      throw Problem(
        .unknownReactor, "No reactor is hosted under this name. GET /v1/reactors lists them.")
    }
    return reactor
  }

  func global(_ name: String) throws(Problem) -> any SharedGlobal {
    guard let global = host.global(name) else {
      throw Problem(
        .unknownGlobal, "No global is hosted under this name. GET /v1/globals lists them.")
    }
    return global
  }

  func check(_ id: String) throws(Problem) {
    guard SessionKey.isValid(id: id) else { throw Self.invalidSessionID() }
  }

  private func checked(_ id: String) throws(Problem) -> String {
    try check(id)
    return id
  }

  static func invalidSessionID(pointer: String? = nil) -> Problem {
    Problem(
      .invalidSessionID,
      "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ - and neither . nor .. itself.",
      members: pointer.map { [.init("pointer", .string($0))] } ?? [])
  }

  func unavailable(_ detail: String) -> Problem {
    Problem(
      .unavailable, detail + " Try again later.",
      headers: ["Retry-After": String(settings.retryAfter)])
  }

  func problem(for error: SessionError) -> Problem {
    switch error {
    case .unknown:
      Problem(
        .unknownSession,
        "There is no such session, and sessions are made explicitly here: PUT its address first.")
    case .ended:
      Problem(.sessionEnded, "The session was deleted. PUT its address to begin a new one.")
    case .exists:
      Problem(.sessionExists, "The id is taken. Choose another one, or PUT the session's address.")
    case .tooMany: unavailable("So many sessions are in memory that there is no room for another.")
    case .history(let error): problem(for: error)
    case .log(let error): problem(for: error)
    }
  }

  func problem(for error: LogError) -> Problem {
    switch error {
    case .full:
      Problem(
        .storageFull, "The storage is full. Nothing was changed. Try again when there is room.")
    case .conflict: unavailable("Another writer has the session.")
    case .unavailable: unavailable("The storage cannot be reached.")
    case .corrupt:
      Problem(
        .effectFailed,
        "The session's state could not be read or written. Nothing was changed; the log says why.")
    case .unreadable(let version, let reason):
      Problem(
        .effectFailed,
        """
        What is stored of this session at version \(version) cannot be read by this release of its \
        reactor: \(reason) Other sessions are not affected.
        """, members: [.init("version", .number(JSONNumber(version)))])
    }
  }

  /// What a body must be to be read as JSON.
  func requireJSON(_ request: HTTPRequest) throws(Problem) {
    guard request.hasBody || request[header: .contentType] != nil else { return }
    if let encoding = request[header: .contentEncoding], encoding.lowercased() != "identity" {
      throw Problem(
        .unsupportedMediaType, "Send the body without a Content-Encoding.",
        headers: ["Accept-Encoding": "identity"])
    }
    guard let type = request[header: .contentType], MediaTypes.isJSON(type) else {
      throw Problem(
        .unsupportedMediaType, "Send the body with Content-Type: application/json.",
        headers: ["Accept": "application/json", "Accept-Post": "application/json"])
    }
  }

  /// Says what there is to a client that does not take it.
  func negotiate(_ request: HTTPRequest, _ offered: String) throws(Problem) {
    if request[header: .accept] != nil { try choose(for: request, from: [offered]) }
  }

  /// Chooses the form of the answer, or says what there is.
  @discardableResult
  func choose(for request: HTTPRequest, from offered: [String]) throws(Problem) -> String {
    guard let type = MediaTypes.choose(from: offered, accept: request[header: .accept]) else {
      throw Problem(
        .notAcceptable, "This address gives \(offered.joined(separator: " or ")).",
        members: [.init("offered", .array(offered.map { .string($0) }))])
    }
    return type
  }

  func problem(for error: ActionDecodingError, kind: ProblemKind) -> Problem {
    switch error {
    case .malformed(let offset, let reason):
      Problem(
        .malformedJSON, "The body is not JSON: \(reason) (at byte \(offset)).",
        members: [.init("offset", .number(JSONNumber(offset)))])
    case .invalid(let pointer, let expected, let detail):
      Problem(
        kind, detail,
        members: [
          .init("pointer", .string(pointer)),
          .init("expected", .array(expected.map { .string($0) })),
        ])
    }
  }
}

internal import Identity
internal import ReactorLog
internal import ReactorCoding
internal import ReactorCore
internal import ReactorHost
internal import ReactorTransport
internal import Shares

/// Checks that several handlers share.
extension Call {
  /// Returns the reactor in the path.
  func reactor(in host: Host) throws(Problem) -> any HostedReactor {
    if let reactor = scope.head.reactor, !reactor.isQuarantined { return reactor }
    return try host.hostedReactor(self["reactor"])
  }

  /// Returns the session id in the path.
  func sessionID() throws(Problem) -> String {
    guard let id = scope.head.sessionID else { throw .invalidSessionID() }
    return id
  }

  /// Parses the parameters of the query.
  func query() throws(Problem) -> Query { try Query(request.query) }

  /// Returns the name of the client among the subscribers: the id of its principal.
  ///
  /// In a service without authentication it is the name that the client chose, or `nil` for none.
  func chosenName(_ query: Query) throws(Problem) -> String? {
    if let principal = scope.context.principal { return principal.id }
    return scope.api.authenticator == nil ? try query.name("name") : nil
  }

  /// Returns a function that decides whether the client may read a session; for `nil`, the globals.
  ///
  /// The function decides with the rights at the time of its call.
  func readableSessions(of host: Host) -> @Sendable (SessionKey?) -> Bool {
    { [scope] key in
      guard let key else { return scope.access?.allows(.read, to: .service) ?? true }
      return host.reactor(key.reactor).map { scope.mayList(key.id, of: $0) } ?? false
    }
  }

  /// Rejects a body that is not declared as JSON.
  func requireJSON() throws(Problem) { try request.requireJSON() }

  /// Decodes the body.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - expectation: The detail of the problem for a body that cannot be decoded.
  /// - Returns: The value, or `nil` for an empty body and for `null`, which generated clients send for an absent one.
  /// - Throws: A problem if the body is not JSON of this type, or has a member that the type does not declare.
  func body<Body: Decodable>(_ type: Body.Type, or expectation: String) throws(Problem) -> Body? {
    guard !request.body.isEmpty else { return nil }
    try requireJSON()
    do {
      return try JSONCoder.decode(Body?.self, from: request.body, strictness: .exact)
    } catch let error as JSONSyntaxError {
      throw Problem(.malformed(offset: error.offset, reason: error.reason), kind: .invalidBody)
    } catch let error as JSONDecodingFailure {
      throw Problem(
        .invalid(pointer: error.pointer, expected: error.expected, detail: error.detail),
        kind: .invalidBody)
    } catch {
      throw Problem(.invalidBody, expectation)
    }
  }

  /// Rejects a client that does not accept the media type of the response.
  func negotiate(_ offered: String = "application/json") throws(Problem) {
    try request.negotiate(offered)
  }

  /// Chooses the media type of the response; rejects a client that accepts none.
  func choose(from offered: [String]) throws(Problem) -> String {
    try request.choose(from: offered)
  }

  /// The owner of the request's work on background threads.
  var owner: WorkOwner { .client(scope.account) }

  /// Responds with what an `async` function returns or throws, which background threads execute in turn with
  /// the work of other clients.
  ///
  /// The number of functions is bounded by that of connections, since each waits for its response.
  func respond(_ body: @escaping @Sendable () async throws(Problem) -> HTTPResponse) {
    asClient {
      scope.api.background.start(for: owner) { [reply] in
        await reply.onError { () async throws(Problem) in reply(try await body()) }
      }
    }
  }

  /// Responds like ``respond(_:)``, unless too much work of the client waits.
  ///
  /// - Parameter body: The function.
  /// - Throws: A problem if too many requests wait for a background thread.
  func respondInBackground(
    _ body: @escaping @Sendable () async throws(Problem) -> HTTPResponse
  ) throws(Problem) {
    guard owner.takePlace() else { throw .tooManyWait }
    respond { [owner] () throws(Problem) in
      owner.returnPlace()
      return try await body()
    }
  }

  /// Responds like ``respond(_:)``; this thread executes the part before the first suspension.
  ///
  /// - Parameter body: The function; before it reads from disk, it calls ``takeTurnToRead()``.
  func respondAtOnce(_ body: @escaping @Sendable () async throws(Problem) -> HTTPResponse) {
    start { [reply] () throws(Problem) in reply(try await body()) }
  }

  /// Continues on a background thread if reading from the log blocks.
  func takeTurnToRead() async {
    if scope.api.host.readsFromDisk { await scope.api.background.takeTurn(for: owner) }
  }

  /// Executes an `async` function that sends the response, or throws the problem that becomes the response.
  ///
  /// - Parameter body: The function, which this thread executes until it suspends; before it reads from disk, it
  ///   calls ``takeTurnToRead()``.
  func start(_ body: @escaping @Sendable () async throws(Problem) -> Void) {
    asClient {
      scope.api.background.begin(for: owner) { [reply] in await reply.onError(body) }
    }
  }

  /// Calls a function whose sessions are counted for the client.
  func asClient(_ body: () -> Void) {
    Account.$current.withValue(scope.account, operation: body)
  }

  /// Executes a part of the request on a background thread, in turn with the work of other clients.
  ///
  /// - Parameter body: Sends the response, or throws a problem that becomes the response.
  /// - Throws: A problem if too many requests wait for a background thread.
  func inBackground(
    _ body: @escaping @Sendable () throws(Problem) -> Void
  ) throws(Problem) {
    let isEnqueued = scope.api.background.enqueueIfRoom(for: owner) { [self] in
      asClient { reply.onError { () throws(Problem) in try body() } }
    }
    guard isEnqueued else { throw .tooManyWait }
  }
}

extension HTTPRequest {
  /// Rejects a body that is not declared as JSON.
  func requireJSON() throws(Problem) {
    guard hasBody || self[header: .contentType] != nil else { return }
    if let encoding = self[header: .contentEncoding], encoding.lowercased() != "identity" {
      throw Problem(
        .unsupportedMediaType, "Send the body without a Content-Encoding.",
        headers: ["Accept-Encoding": "identity"])
    }
    guard let type = self[header: .contentType], MediaTypes.isJSON(type) else {
      throw Problem(
        .unsupportedMediaType, "Send the body with Content-Type: application/json.",
        headers: ["Accept": "application/json", "Accept-Post": "application/json"])
    }
  }

  /// Rejects a client that does not accept the media type of the response.
  func negotiate(_ offered: String = "application/json") throws(Problem) {
    if self[header: .accept] != nil { _ = try choose(from: [offered]) }
  }

  /// Chooses the media type of the response; rejects a client that accepts none.
  func choose(from offered: [String]) throws(Problem) -> String {
    guard let type = MediaTypes.choose(from: offered, accept: self[header: .accept]) else {
      throw Problem(
        .notAcceptable, "This address offers \(offered.joined(separator: " or ")).",
        members: [.init("offered", .array(offered.map { .string($0) }))])
    }
    return type
  }
}

extension LogError {
  /// Whether a part of the log cannot be read, and a retry would not help.
  var isDamage: Bool {
    switch self {
    case .corrupt, .unreadable: true
    case .lost, .full, .unavailable, .beyondShare, .unknown, .tooLarge: false
    }
  }
}

extension Host {
  func hostedReactor(_ name: String) throws(Problem) -> any HostedReactor {
    guard let reactor = reactor(name) else {
      throw .unknownReactor
    }
    guard !reactor.isQuarantined else { throw Problem(SessionError.reactorQuarantined) }
    return reactor
  }

  func sharedGlobal(_ name: String) throws(Problem) -> any SharedGlobal {
    guard let global = global(name) else {
      throw Problem(
        .unknownGlobal, "No global is hosted under this name. GET /v1/globals lists them.")
    }
    return global
  }

  /// Returns a global whose stored value this release can read.
  func readableGlobal(_ name: String) throws(Problem) -> any SharedGlobal {
    let global = try sharedGlobal(name)
    guard !global.isUnreadable else {
      throw Problem(
        .sessionUnreadable,
        """
        This release of the service cannot read the stored value of the global. Nothing is lost; a PUT \
        replaces the value.
        """)
    }
    return global
  }
}

extension Problem {
  /// The problem of a client with too many requests that wait.
  fileprivate static var tooManyWait: Problem {
    .beyondShare(
      of: Limits.backgroundJobs, "requests that wait for a background thread",
      "Nothing was executed.")
  }

  /// The problem of a name without a reactor.
  static var unknownReactor: Problem {
    Problem(.unknownReactor, "No reactor is hosted under this name. GET /v1/reactors lists them.")
  }
}

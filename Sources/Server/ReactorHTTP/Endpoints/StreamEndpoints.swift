internal import Identity
internal import ReactorCore
internal import ReactorLog
internal import ReactorHost
internal import ReactorTransport

/// Server-sent events of one session, of several sessions, and of a global.
struct StreamEndpoints {
  let host: Host
  let channels: EventChannels
  let limits: Limits
  let headers: HTTPFields

  /// Creates the endpoints.
  ///
  /// The header field `Heartbeat-Interval` announces `heartbeat`, the value of `streams.heartbeat`, so
  /// that clients recognize a dead stream.
  init(host: Host, channels: EventChannels, limits: Limits, heartbeat: Duration?) {
    self.host = host
    self.channels = channels
    self.limits = limits
    headers = Self.headers(heartbeat: heartbeat)
  }

  private static let options: [OpenAPIParameter] = [
    .selections, .delta, .old, .format, .into, .replay, .activity, .lastEventID,
    .lastEventIDQuery, .datastarRequest,
  ]

  /// The fields of the head of a stream.
  static let fields: [OpenAPIHeader] = [.heartbeatInterval, .streamID]

  /// The parameters of streams of sessions.
  private static let sessionOptions: [OpenAPIParameter] = [.presence, .signals, .subscriberName]

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/reactors/{reactor}/sessions/{session}/events", needs: .read,
        traits: [.stream, .projected], handler: streamSession,
        operation: Operation(
          "streamEvents", "The session's States as server-sent events",
          detail:
            "The current State at once, then every new one. The stream does not end by itself.",
          parameters: [.reactor, .session] + Self.options + Self.sessionOptions,
          responses: [
            .init(200, "The stream", headers: Self.fields, .stream(StreamMessage.ofSession)),
            .init(204, "The session has ended: an EventSource stops"),
          ],
          problems: [
            .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession,
            .invalidPointer, .stateNotObject, .notAcceptable,
          ])),
      Endpoint(
        .get, "/v1/events", needs: .read, reach: .sessionsInQuery,
        traits: [.stream, .projected], handler: streamSessions,
        operation: Operation(
          "streamManyEvents", "Several sessions over one stream",
          detail: """
            A State's event has the name `{reactor}/{session}`; every other event has the data \
            `{"session":…,"data":…}`. The `id` holds the cursors of all sessions.
            """,
          parameters: [.sessions] + Self.options + Self.sessionOptions,
          responses: [
            .init(200, "The stream", headers: Self.fields, .stream(StreamMessage.ofSessions)),
            .init(204, "All sessions have ended: an EventSource stops"),
          ],
          problems: [
            .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession,
            .invalidPointer, .notAcceptable,
          ])),
      Endpoint(
        .get, "/v1/globals/{global}/events", needs: .read, traits: .stream,
        handler: streamGlobal,
        operation: Operation(
          "streamGlobalEvents", "A global's values as server-sent events",
          parameters: [.global] + Self.options,
          responses: [
            .init(200, "The stream", headers: Self.fields, .stream(StreamMessage.ofGlobal))
          ],
          problems: [
            .invalidParameter, .unknownGlobal, .invalidPointer, .stateNotObject, .notAcceptable,
          ])),
    ]
  }

  private static func headers(heartbeat: Duration?) -> HTTPFields {
    var headers: HTTPFields = [
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
    ]
    if let heartbeat {
      let (seconds, attoseconds) = heartbeat.components
      headers.append(
        "Heartbeat-Interval",
        attoseconds == 0 ? "\(seconds)" : "\(heartbeat / .seconds(1))")
    }
    return headers
  }

  /// Creates the response with a stream, which ends when the credential of its request expires;
  /// only its head for `HEAD`.
  ///
  /// - Parameters:
  ///   - call: The request.
  ///   - names: The sessions of a stream of several, `{reactor}/{session}`.
  ///   - channel: The channel of a stream that is compressed, or `nil` for any other.
  ///   - stream: Opens the stream.
  /// - Returns: The response.
  func response(
    to call: Call, of names: [String]? = nil, compressing channel: EventChannel? = nil,
    _ stream: @autoclosure () -> any ByteStream
  ) -> HTTPResponse {
    guard !call.isHead else { return HTTPResponse(status: 200, headers: headers) }
    let body = call.scope.api.guarded(stream(), call, names)
    var response = HTTPResponse(status: 200, headers: headers, body: .stream(body))
    if let channel {
      let scope = call.scope
      response.body = .stream(
        CompressedStream(
          body, of: channel, after: scope.api.expiries, isPublic: { scope.isReadByAnyone }))
      response.headers.append("Content-Encoding", constant: "gzip")
    }
    if let id = (body as? GuardedStream)?.id { response.headers.append("Stream-Id", "\(id)") }
    response.account = call.scope.account
    return response
  }

  /// Responds with a stream of a session or global; only its head for `HEAD`.
  private func reply(
    _ call: Call, with source: any StateSource, _ wanted: StreamRequest, by owner: StreamOwner
  ) {
    guard !call.isHead else {
      return call.reply(HTTPResponse(status: 200, headers: headers))
    }
    channels.subscribe(
      to: source, wanted, in: wanted.view, by: owner, of: call.owner,
      from: wanted.lastEventID.position(in: source.current.cursor.epoch)
    ) { [channels] subscribed in
      guard let (subscription, opening) = subscribed else {
        return call.reply(response(to: call, RetryStream()))
      }
      let isCompressed = call.scope.compressesStream(of: source.current, wanted)
      call.reply(
        response(
          to: call, compressing: isCompressed ? subscription.channel : nil,
          SessionStream(subscription, opening, of: channels)))
    }
  }

  private func streamSession(_ call: Call) throws(Problem) {
    let reactor = try call.reactor(in: host)
    let id = try call.sessionID()
    try call.negotiate("text/event-stream")
    let query = try call.query()
    let wanted = try StreamRequest(query, call.request, ofOne: true)
    let owner = StreamOwner(try call.chosenName(query))
    guard !channels.isDraining else { return call.reply(response(to: call, RetryStream())) }
    let position: @Sendable (String) -> StreamPosition = { wanted.lastEventID.position(in: $0) }
    call.streamSource(of: reactor, id, in: host, from: position) { result in
      switch result {
      case .success(let session):
        reply(call, with: session, of: reactor, id, wanted, by: owner)
      case .failure(.tooMany):
        call.reply(response(to: call, RetryStream()))
      case .failure(.ended):
        // Status 204 stops an `EventSource` permanently.
        call.reply(HTTPResponse(status: 204))
      case .failure(let error): call.reply(Problem(error))
      }
    }
  }

  /// Responds with a stream of a session, or of what the client may see of it.
  private func reply(
    _ call: Call, with session: any SessionSource, of reactor: any HostedReactor, _ id: String,
    _ wanted: StreamRequest, by owner: StreamOwner
  ) {
    guard reactor.projector != nil else {
      if let problem = signalProblem(of: session, wanted) { return call.reply(problem) }
      return reply(call, with: session, wanted, by: owner)
    }
    guard !call.isHead else { return replyToHead(call, of: [(session, reactor, id)]) }
    subscribe(
      call, to: session, of: reactor, id, wanted, in: wanted.view, by: owner,
      from: wanted.lastEventID.position(in: session.epoch)
    ) { [channels] result in
      call.reply { () throws(Problem) in
        guard let (feed, opening) = try result.get() else {
          return response(to: call, RetryStream())
        }
        return response(to: call, SessionStream(feed, opening, of: channels))
      }
    }
  }

  private func streamGlobal(_ call: Call) throws(Problem) {
    let global = try host.readableGlobal(call["global"])
    try call.negotiate("text/event-stream")
    let wanted = try StreamRequest(try call.query(), call.request, ofOne: true)
    guard !channels.isDraining else { return call.reply(response(to: call, RetryStream())) }
    if let problem = signalProblem(of: global, wanted) { throw problem }
    let current = global.current
    guard wanted.lastEventID.position(in: current.cursor.epoch).isBeyond(current) else {
      return reply(call, with: global, wanted, by: .anonymous)
    }
    // The client can have a later value: this process can be cut off from the one that set it.
    global.confirmCurrent { result in
      switch result {
      case .success: reply(call, with: global, wanted, by: .anonymous)
      case .failure(let error): call.reply(Problem(error))
      }
    }
  }

  /// Returns the problem of a stream of signals without a name whose State is not an object.
  private func signalProblem(of source: any StateSource, _ wanted: StreamRequest) -> Problem? {
    wanted.view.canSend(source.current.json) ? nil : Self.stateNotObject
  }

  /// The problem of a stream of signals without a name whose State is not an object.
  static var stateNotObject: Problem {
    Problem(
      .stateNotObject,
      """
      The State is not an object, whose members would be the signals. With into=NAME, the State \
      is the signal of that name.
      """)
  }
}

extension RequestScope {
  /// Whether the stream of a session without a projection, or of a global, is compressed.
  ///
  /// Only what every client of the service may read is compressed: the size of a compressed State depends on whether
  /// a part that a client has written resembles another part, which an observer of the network cannot read (BREACH).
  fileprivate func compressesStream(of current: CommittedState, _ wanted: StreamRequest) -> Bool {
    guard head.acceptsGzip != .no, let compression = api.settings.compression,
      wanted.view == StreamView(), !wanted.wantsEveryVersion,
      current.json.count >= compression.minimum,
      current.json.count <= Limits.foregroundCompression
    else { return false }
    return isReadByAnyone
  }

  /// Whether every client of the service may read the session, or the globals.
  fileprivate var isReadByAnyone: Bool {
    guard let authenticator = api.authenticator else { return true }
    let anonymous = authenticator.anonymous
    guard anonymous.webhook == nil, head.reactor?.hasDelegate != true else { return false }
    let isSession = resource?.reach == .session
    return anonymous.allows(
      .read, to: isSession ? .session(reactor: self["reactor"], id: self["session"]) : .service)
  }
}

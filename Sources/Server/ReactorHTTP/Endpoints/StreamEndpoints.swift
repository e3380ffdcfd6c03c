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

  /// Returns the response with a stream of a session or global; only its head for `HEAD`.
  private func response(
    to call: Call, with source: any StateSource, _ wanted: StreamRequest, by owner: StreamOwner
  ) async -> HTTPResponse {
    guard !call.isHead else { return HTTPResponse(status: 200, headers: headers) }
    let subscribed = await channels.subscribe(
      to: source, wanted, in: wanted.view, by: owner, of: call.owner,
      from: wanted.lastEventID.position(in: source.current.cursor.epoch))
    guard let (subscription, opening) = subscribed else { return response(to: call, RetryStream()) }
    let isCompressed = call.scope.compressesStream(of: source.current, wanted)
    return response(
      to: call, compressing: isCompressed ? subscription.channel : nil,
      SessionStream(subscription, opening, of: channels))
  }

  private func streamSession(_ call: Call) throws(Problem) {
    let reactor = try call.reactor(in: host)
    let id = try call.sessionID()
    try call.negotiate("text/event-stream")
    let query = try call.query()
    let wanted = try StreamRequest(query, call.request, ofOne: true)
    let owner = StreamOwner(try call.chosenName(query))
    guard !channels.isDraining else { return call.reply(response(to: call, RetryStream())) }
    call.respondAtOnce { () throws(Problem) in
      let session: any SessionSource
      do throws(SessionError) {
        session = try await call.streamSource(of: reactor, id) { epoch in
          wanted.lastEventID.position(in: epoch)
        }
      } catch .tooMany {
        return response(to: call, RetryStream())
      } catch .ended {
        // Status 204 stops an `EventSource` permanently.
        return HTTPResponse(status: 204)
      } catch {
        throw Problem(error)
      }
      return try await response(to: call, with: session, of: reactor, id, wanted, by: owner)
    }
  }

  /// Returns the response with a stream of a session, or of what the client may see of it.
  private func response(
    to call: Call, with session: any SessionSource, of reactor: any HostedReactor, _ id: String,
    _ wanted: StreamRequest, by owner: StreamOwner
  ) async throws(Problem) -> HTTPResponse {
    guard reactor.projector != nil else {
      try requireObject(session, wanted)
      return await response(to: call, with: session, wanted, by: owner)
    }
    guard !call.isHead else { return try headResponse(to: call, of: [(session, reactor, id)]) }
    let subscribed = try await subscribe(
      call, to: session, of: reactor, id, wanted, in: wanted.view, by: owner,
      from: wanted.lastEventID.position(in: session.epoch))
    guard let (feed, opening) = subscribed else { return response(to: call, RetryStream()) }
    return response(to: call, SessionStream(feed, opening, of: channels))
  }

  private func streamGlobal(_ call: Call) throws(Problem) {
    let global = try host.readableGlobal(call["global"])
    try call.negotiate("text/event-stream")
    let wanted = try StreamRequest(try call.query(), call.request, ofOne: true)
    guard !channels.isDraining else { return call.reply(response(to: call, RetryStream())) }
    try requireObject(global, wanted)
    call.respondAtOnce { () throws(Problem) in
      let current = global.current
      if wanted.lastEventID.position(in: current.cursor.epoch).isBeyond(current) {
        // The client can have a later value: this process can be cut off from the one that set it.
        await call.takeTurnToRead()
        do throws(LogError) { try await global.confirmCurrent() } catch { throw Problem(error) }
      }
      return await response(to: call, with: global, wanted, by: .anonymous)
    }
  }

  /// Rejects a stream of signals without a name whose State is not an object.
  private func requireObject(
    _ source: any StateSource, _ wanted: StreamRequest
  ) throws(Problem) {
    guard wanted.view.canSend(source.current.json) else { throw Self.stateNotObject }
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

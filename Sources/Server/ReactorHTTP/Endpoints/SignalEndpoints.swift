internal import Identity
internal import ReactorCoding
internal import ReactorHost
internal import ReactorTransport
internal import Shares

/// Signals: messages to the subscribers of a session, which are not stored.
struct SignalEndpoints {
  let host: Host
  let limits: Limits
  /// Limits the rate of each sender, or `nil` for no limit.
  let limiter: ClientLimiter?

  /// Creates the endpoints.
  init(host: Host, limits: Limits) {
    self.host = host
    self.limits = limits
    limiter =
      limits.signals > 0
      ? ClientLimiter(limit: limits.signals, per: .seconds(1)) : nil
  }

  var all: [Endpoint] {
    [
      Endpoint(
        .post, "/v1/reactors/{reactor}/sessions/{session}/signals", needs: .signal, asks: .signal,
        traits: .projected, handler: publish,
        operation: Operation(
          "publishSignal", "Publish a message to the session's subscribers",
          detail: """
            Any JSON, such as the position of a cursor. It is sent as `event: signal` to the streams \
            with `signals=true`, and stored nowhere.
            """,
          parameters: [.reactor, .session, .subscriberName], body: .inline([:]),
          responses: [.init(204, "It is published to the current subscribers")],
          problems: [
            .malformedJSON, .invalidParameter, .invalidSessionID, .foreignOrigin, .unknownReactor,
            .unknownSession, .sessionEnded, .unsupportedMediaType, .bodyTooLarge,
          ]))
    ]
  }

  private func publish(_ call: Call) throws(Problem) {
    let reactor = try call.reactor(in: host)
    let id = try call.sessionID()
    let sender = try call.chosenName(try call.query())
    try call.requireJSON()
    guard call.request.body.count <= limits.signal else { throw tooLarge }
    try admit(call)
    let json = try content(of: call.request.body)
    // A signal creates no session: streams of a session that does not exist receive it, too.
    call.respondAtOnce { () throws(Problem) in
      let session = try await Problem.mapping(await call.streamSource(of: reactor, id))
      session.publish(SessionSignal(json, from: sender))
      return HTTPResponse(status: 204)
    }
  }

  /// Returns the JSON without line breaks, which would end the data of an event.
  private func content(of body: [UInt8]) throws(Problem) -> [UInt8] {
    do throws(JSONSyntaxError) {
      return JSONValue(try JSONDocument(parsing: body).root).bytes
    } catch {
      throw Problem(.malformed(offset: error.offset, reason: error.reason), kind: .invalidBody)
    }
  }

  private var tooLarge: Problem {
    Problem(
      .bodyTooLarge,
      "A signal has at most \(limits.signal) bytes. Send larger content as an action.",
      members: [.init("limit", .number(JSONNumber(limits.signal)))])
  }

  /// Counts a signal against the rate of its sender.
  private func admit(_ call: Call) throws(Problem) {
    guard let limiter, let client = call.scope.accountable else { return }
    if let wait = limiter.wait(of: client) {
      throw Problem(
        .rateLimited,
        """
        You send more than \(limits.signals) signals per second. Send the latest one \
        at intervals.
        """, headers: ["Retry-After": "\(wait)"])
    }
    limiter.count(client)
  }
}

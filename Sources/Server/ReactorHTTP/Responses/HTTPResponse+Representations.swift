internal import ReactorLog
internal import ReactorCoding
internal import ReactorHost
internal import ReactorTransport

extension HTTPFields {
  /// For representations that change only with a release or a new State: caches must revalidate.
  ///
  /// Without the field, caches choose a lifetime heuristically.
  static let revalidated: HTTPFields = ["Cache-Control": "no-cache"]

  /// Creates the fields of a State's representation.
  ///
  /// - Parameters:
  ///   - cursor: The State's cursor, which becomes the entity tag.
  ///   - isCacheable: Whether caches may store the response; those of `POST` are never stored
  ///     (RFC 9110, 9.3.3), and views of projected reactors belong to one client.
  /// - Returns: The fields.
  static func state(at cursor: Cursor, isCacheable: Bool) -> HTTPFields {
    var fields = HTTPFields()
    fields.append("Content-Type", constant: "application/json")
    fields.appendTag(of: cursor)
    if isCacheable { fields += revalidated }
    return fields
  }

  /// The fields of a view, which no cache stores: it would serve it to another client.
  static let unstored: HTTPFields = ["Cache-Control": "no-store"]
}

extension HTTPResponse {
  /// Creates a response with a JSON text.
  static func json(_ body: [UInt8], headers: HTTPFields = [:]) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: ["Content-Type": "application/json"] + headers, body: .bytes(body))
  }

  /// Creates a response with a value, encoded as JSON.
  static func json(
    encoding value: some Encodable, headers: HTTPFields = .revalidated
  ) -> HTTPResponse {
    do {
      return json(try JSONCoder.encode(value), headers: headers)
    } catch {
      return Problem(.unavailable, "The response could not be encoded.").response
    }
  }

  /// Creates a response with the status of the service.
  static func status(_ word: String) -> HTTPResponse {
    json(Array(#"{"status":"\#(word)"}"#.utf8), headers: ["Cache-Control": "no-store"])
  }

  /// Creates a response with a web page.
  static func html(_ page: [UInt8], headers: HTTPFields) -> HTTPResponse {
    HTTPResponse(
      status: 200,
      headers: ["Content-Type": "text/html; charset=utf-8"] + .revalidated + headers,
      body: .bytes(page))
  }

  static func state(
    _ state: VisibleState, status: Int = 200, headers: HTTPFields = [:]
  ) -> HTTPResponse {
    var fields = HTTPFields.state(at: state.cursor, isCacheable: !state.isView)
    if state.isView { fields += .unstored }
    return HTTPResponse(status: status, headers: fields + headers, body: .bytes(state.json))
  }

  /// Creates the response to a client that already has the representation with a tag, or returns `nil` if it
  /// does not.
  static func notModified(
    _ tag: @autoclosure () -> String, _ known: EntityTags?
  ) -> HTTPResponse? {
    guard let known else { return nil }
    let tag = tag()
    guard known.contains(tag) else { return nil }
    return HTTPResponse(
      status: 304, headers: ["ETag": known.sent(tag) ?? "\"\(tag)\""] + .revalidated)
  }

  /// Creates the response to a client that already has a State.
  ///
  /// - Parameters:
  ///   - state: The State.
  ///   - formerVersion: The last version that clients may have in the form of another release, see
  ///     `StateSource`.
  ///   - known: The tags that the client has.
  /// - Returns: The response, or `nil` if the client does not have the State.
  static func notModified(
    _ state: VisibleState, since formerVersion: Int, _ known: EntityTags?
  ) -> HTTPResponse? {
    guard state.version > formerVersion else { return nil }
    var response = notModified(state.cursor.description, known)
    if state.isView { response?.headers.replace("Cache-Control", with: "no-store") }
    return response
  }

  /// Creates the response without the State for a client that may not read it: with the cursor, and
  /// with 204 instead of 200.
  static func hiddenState(at cursor: Cursor, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status == 200 ? 204 : status, headers: ["ETag": cursor.tag])
  }

  // MARK: Actions

  /// Creates the response to an action that is accepted and whose effect continues.
  ///
  /// - Parameters:
  ///   - state: The State at that time.
  ///   - preferences: The preferences of the client.
  ///   - scope: The request.
  ///   - session: The session, or `nil` if another process executes the action.
  /// - Returns: The response.
  static func accepted(
    _ state: CommittedState, _ preferences: Preferences, to scope: RequestScope,
    in session: (any Session)?
  ) -> HTTPResponse {
    action(state, status: 202, minimalStatus: 202, preferences, scope, session)
  }

  /// Creates the response to a completed or rejected action.
  ///
  /// - Parameters:
  ///   - outcome: The outcome.
  ///   - preferences: The preferences of the client.
  ///   - scope: The request.
  ///   - session: The session, or `nil` if another process has executed the action.
  /// - Returns: The response.
  static func outcome(
    _ outcome: ActionOutcome, _ preferences: Preferences, to scope: RequestScope,
    in session: (any Session)?
  ) -> HTTPResponse {
    switch outcome {
    case .committed(let state):
      return action(state, status: 200, minimalStatus: 204, preferences, scope, session)
    case .failed(let index, let error, let cursor):
      return Problem(failed: error, index: index, at: cursor).response
    case .replayed(let outcome):
      var response = Self.outcome(outcome, preferences.ofFinalResponse, to: scope, in: session)
      response.headers.append("Idempotent-Replayed", "true")
      return response
    case .running:
      return Problem(
        .actionRunning,
        "Too many repetitions wait for the first request with this Idempotency-Key. Send it again later.",
        headers: ["Retry-After": "1"]
      ).response
    case .keyReused:
      return Problem(
        .idempotencyKeyReused,
        "The Idempotency-Key was used for another body in this session. Nothing was executed."
      ).response
    case .mismatch(let state):
      return Problem(
        .versionMismatch,
        "The session is at \(state.cursor). Read its State; nothing was executed.",
        headers: ["ETag": state.cursor.tag]
      ).response
    case .overloaded:
      return Problem.unavailable(
        "Too many requests wait for this session. Nothing was executed."
      ).response
    case .ended: return Problem(SessionError.ended).response
    case .notCommitted(let error): return Problem(error).response
    case .invalid(let error): return Problem(error, kind: .invalidAction).response
    case .notOpened(let error): return Problem(error).response
    case .displaced(let owner): return Problem(LogError.lost(to: owner)).response
    }
  }

  /// Creates the response to an action with the State as the client sees it, or without a body: the action is
  /// committed, also if the client sees nothing or its view fails.
  private static func action(
    _ state: CommittedState, status: Int, minimalStatus: Int, _ preferences: Preferences,
    _ scope: RequestScope, _ session: (any Session)?
  ) -> HTTPResponse {
    var headers: HTTPFields
    var body: [UInt8]?
    if !preferences.omitsState, case .visible(let seen) = scope.visibility(of: state, in: session) {
      headers = .state(at: seen.cursor, isCacheable: false)
      body = seen.json
    } else {
      headers = ["ETag": state.cursor.tag]
    }
    if let applied = preferences.applied { headers.append("Preference-Applied", applied) }
    guard let body else { return HTTPResponse(status: minimalStatus, headers: headers) }
    return HTTPResponse(status: status, headers: headers, body: .bytes(body))
  }
}

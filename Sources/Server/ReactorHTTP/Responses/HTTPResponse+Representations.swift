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
  ///     (RFC 9110, 9.3.3).
  /// - Returns: The fields.
  static func state(at cursor: Cursor, isCacheable: Bool) -> HTTPFields {
    var fields = HTTPFields()
    fields.append("Content-Type", constant: "application/json")
    fields.appendTag(of: cursor)
    if isCacheable { fields += revalidated }
    return fields
  }
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
    _ state: CommittedState, status: Int = 200, headers: HTTPFields = [:]
  ) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: .state(at: state.cursor, isCacheable: true) + headers,
      body: .bytes(state.json))
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
    _ state: CommittedState, since formerVersion: Int, _ known: EntityTags?
  ) -> HTTPResponse? {
    guard state.version > formerVersion else { return nil }
    return notModified(state.cursor.description, known)
  }

  /// Creates the response without the State for a client that may not read it: with the cursor, and
  /// with 204 instead of 200.
  static func hiddenState(at cursor: Cursor, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status == 200 ? 204 : status, headers: ["ETag": cursor.tag])
  }

  // MARK: Actions

  /// Creates the response to an action that is accepted and whose effect continues.
  static func accepted(_ state: CommittedState, _ preferences: Preferences) -> HTTPResponse {
    action(state, status: 202, minimalStatus: 202, preferences)
  }

  /// Creates the response to a completed or rejected action.
  static func outcome(
    _ outcome: ActionOutcome, _ preferences: Preferences
  ) -> HTTPResponse {
    switch outcome {
    case .committed(let state):
      return action(state, status: 200, minimalStatus: 204, preferences)
    case .failed(let index, let error, let cursor):
      return Problem(failed: error, index: index, at: cursor).response
    case .replayed(let outcome):
      var response = Self.outcome(outcome, preferences.ofFinalResponse)
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

  private static func action(
    _ state: CommittedState, status: Int, minimalStatus: Int, _ preferences: Preferences
  ) -> HTTPResponse {
    var headers: HTTPFields
    if preferences.omitsState {
      headers = ["ETag": state.cursor.tag]
    } else {
      headers = .state(at: state.cursor, isCacheable: false)
    }
    if let applied = preferences.applied { headers.append("Preference-Applied", applied) }
    return preferences.omitsState
      ? HTTPResponse(status: minimalStatus, headers: headers)
      : HTTPResponse(status: status, headers: headers, body: .bytes(state.json))
  }
}

internal import ReactorTransport

/// The problem types of the service.
///
/// The raw value is the last part of the problem's `type`, which is the address of its page.
enum ProblemKind: String, CaseIterable {
  case actionCrashed = "action-crashed"
  case actionRunning = "action-running"
  case bodyTooLarge = "body-too-large"
  case changeTooLarge = "change-too-large"
  case changesDisabled = "changes-disabled"
  case cursorExpired = "cursor-expired"
  case effectFailed = "effect-failed"
  case forbidden
  case foreignOrigin = "foreign-origin"
  case headersTooLarge = "headers-too-large"
  case idempotencyKeyReused = "idempotency-key-reused"
  case internalAction = "internal-action"
  case invalidAction = "invalid-action"
  case invalidBody = "invalid-body"
  case invalidParameter = "invalid-parameter"
  case invalidPointer = "invalid-pointer"
  case invalidSessionID = "invalid-session-id"
  case malformedJSON = "malformed-json"
  case methodNotAllowed = "method-not-allowed"
  case misdirectedRequest = "misdirected-request"
  case notAcceptable = "not-acceptable"
  case notFound = "not-found"
  case parametersRequired = "parameters-required"
  case rateLimited = "rate-limited"
  case reactorQuarantined = "reactor-quarantined"
  case sendsTooDeep = "sends-too-deep"
  case servicePaused = "service-paused"
  case sessionEnded = "session-ended"
  case sessionExists = "session-exists"
  case sessionUnreadable = "session-unreadable"
  case stateNotObject = "state-not-object"
  case stateTooLarge = "state-too-large"
  case storageFull = "storage-full"
  case unauthorized
  case unavailable
  case unknownGlobal = "unknown-global"
  case unknownReactor = "unknown-reactor"
  case unknownSession = "unknown-session"
  case unknownVersion = "unknown-version"
  case unsupportedMediaType = "unsupported-media-type"
  case versionMismatch = "version-mismatch"

  var status: Int {
    switch self {
    case .invalidParameter, .invalidSessionID, .malformedJSON: 400
    case .unauthorized: 401
    case .forbidden, .foreignOrigin, .internalAction: 403
    case .changesDisabled, .notFound, .unknownGlobal, .unknownReactor, .unknownSession,
      .unknownVersion:
      404
    case .methodNotAllowed: 405
    case .notAcceptable: 406
    case .actionRunning, .sessionExists: 409
    case .cursorExpired, .sessionEnded: 410
    case .versionMismatch: 412
    case .bodyTooLarge: 413
    case .unsupportedMediaType: 415
    case .misdirectedRequest: 421
    case .idempotencyKeyReused, .invalidAction, .invalidBody, .invalidPointer,
      .parametersRequired, .stateNotObject:
      422
    case .rateLimited: 429
    case .headersTooLarge: 431
    case .actionCrashed, .effectFailed: 500
    case .reactorQuarantined, .servicePaused, .sessionUnreadable, .unavailable: 503
    case .changeTooLarge, .stateTooLarge, .storageFull: 507
    case .sendsTooDeep: 508
    }
  }

  var title: String {
    switch self {
    case .actionCrashed: "The action has crashed the service"
    case .actionRunning: "Too many repetitions wait for the first request with this key"
    case .bodyTooLarge: "The body is too large"
    case .changeTooLarge: "The change is too large for the storage"
    case .changesDisabled: "Changes are not retained"
    case .cursorExpired: "The changes are no longer retained"
    case .effectFailed: "The action failed"
    case .forbidden: "The credential does not have the right"
    case .foreignOrigin: "The page belongs to another origin"
    case .headersTooLarge: "The header fields are too large"
    case .idempotencyKeyReused: "The key was used for another request"
    case .internalAction: "The action is not for clients"
    case .invalidAction: "Not an action of this reactor"
    case .invalidBody: "The body does not fit this address"
    case .invalidParameter: "A parameter is not valid"
    case .invalidPointer: "Not a JSON Pointer"
    case .invalidSessionID: "Not a session id"
    case .malformedJSON: "Not JSON"
    case .methodNotAllowed: "The method is not allowed here"
    case .misdirectedRequest: "The service does not have this name"
    case .notAcceptable: "No acceptable representation"
    case .notFound: "Nothing here"
    case .parametersRequired: "The session needs parameters"
    case .rateLimited: "Too many requests"
    case .reactorQuarantined: "The reactor has crashed the service"
    case .sendsTooDeep: "The chain of sends is too long"
    case .servicePaused: "The service is paused"
    case .sessionEnded: "The session has ended"
    case .sessionExists: "The session exists already"
    case .sessionUnreadable: "Not readable by this release"
    case .stateNotObject: "The State is not an object"
    case .stateTooLarge: "The State is too large"
    case .storageFull: "The storage is full"
    case .unauthorized: "A valid credential is needed"
    case .unavailable: "The service is not available"
    case .unknownGlobal: "No such global"
    case .unknownReactor: "No such reactor"
    case .unknownSession: "No such session"
    case .unknownVersion: "No such version"
    case .unsupportedMediaType: "The body has an unsupported type"
    case .versionMismatch: "The session or global is at another version"
    }
  }

  /// The explanation for developers of clients, for the page under `/problems/`, with code between backticks.
  var explanation: String {
    switch self {
    case .actionCrashed:
      """
      The reactor's code ended the process when it executed this action in this session, or when it \
      loaded the session. It is not executed again: an operator corrects the reactor and then clears \
      the quarantine with `reactord quarantine clear`.
      """
    case .actionRunning:
      """
      A request with the same `Idempotency-Key` has no response yet, and 16 repetitions wait for it. \
      Send it again later.
      """
    case .bodyTooLarge:
      "The request's body is larger than `limits.body` allows. Nothing was changed. Send less at once."
    case .changeTooLarge:
      """
      The mutations of the action, or the State after them, are larger than the storage accepts at \
      once. Nothing was changed. Send less at once.
      """
    case .changesDisabled:
      "The operator retains the changes of all sessions with the setting `changes.keep`."
    case .cursorExpired:
      """
      Changes after this id were deleted after `changes.keep`, or belong to another store. Begin again \
      after `oldest`, and read the sessions anew.
      """
    case .effectFailed:
      """
      The reactor's `mutate` failed for this action. Mutations that were committed before the failure \
      stay; the session continues. The title and the status may be the reactor's own.
      """
    case .forbidden:
      """
      The credential is valid but does not have the right that the request needs, or the reactor does \
      not permit it. The field `WWW-Authenticate` names the right.
      """
    case .foreignOrigin:
      """
      A web page of another origin sent a request that changes something. The operator allows \
      origins with the setting `cors.origins`. Nothing was changed.
      """
    case .headersTooLarge:
      """
      The request line and header fields have more than 16 KiB together. Send fewer or shorter ones.
      """
    case .idempotencyKeyReused:
      "The `Idempotency-Key` was used for another body in this session. Use a new key for each action."
    case .internalAction:
      """
      The reactor has declared the action as its own: only its timers, other sessions and the reactor \
      itself send it. Nothing was executed.
      """
    case .invalidAction:
      """
      The body is JSON, but not an action: `pointer` names the wrong value, `expected` the possible ones. \
      Nothing was executed. The reactor's page in the catalogue has a schema and examples.
      """
    case .invalidBody:
      "The body is JSON of another shape than this address takes. `pointer` names the wrong value."
    case .invalidParameter: "A query parameter or header field has a value that cannot be used."
    case .invalidPointer:
      "`select` takes a JSON Pointer (RFC 6901): empty, or parts that each begin with a slash."
    case .invalidSessionID:
      "A session id is 1 to 128 of `A-Z a-z 0-9 . _ ~ -` and neither . nor .. itself."
    case .malformedJSON:
      "The body is not JSON. `offset` is the position of the first wrong byte, counted from 0."
    case .methodNotAllowed: "The `Allow` field of the response lists the methods of this address."
    case .misdirectedRequest:
      """
      The request names a host that this service does not have, as a page that rebinds its name to \
      a local address does. The operator lists the service's names with the setting `http.hosts`.
      """
    case .notAcceptable:
      "The `Accept` field of the request excludes every representation of this address."
    case .notFound: "The address, or the selected part of the state, does not exist."
    case .parametersRequired:
      """
      The session does not exist, and its reactor requires parameters. Create it with a `PUT` or `POST` \
      whose body has them. The reactor's page in the catalogue has their schema.
      """
    case .rateLimited:
      """
      More requests came from the client's address than `limits.rate` allows, or it has more \
      connections than `limits.address` or its share of `limits.connections`, or too many of its \
      credentials were rejected. The fields `RateLimit` and `Retry-After` say when to try again.
      """
    case .reactorQuarantined:
      """
      The reactor's code ended the process three times in a minute, each time by another action. None of \
      it is executed: an operator corrects the reactor and then clears the quarantine with \
      `reactord quarantine clear`. Other reactors are served.
      """
    case .sendsTooDeep:
      """
      The action caused a chain of more than 32 sessions, each of which sends an action to the next: \
      a defect of their reactors. Mutations that were committed before stay.
      """
    case .servicePaused:
      """
      The operator has started the service with the setting `paused`, to try a store: it serves reads, and \
      executes nothing. Nothing was changed.
      """
    case .sessionEnded:
      "The session was deleted. A `PUT` creates a new one with the same id and a new history."
    case .sessionExists: "Use another id, or `PUT`, which uses the existing session."
    case .sessionUnreadable:
      """
      The service has stored the session, or the value of the global, in a form that the present \
      release of its reactor cannot read. Nothing was changed and nothing is lost: the operator runs a \
      release that can read it. Other sessions are not affected. Try again later.
      """
    case .stateNotObject:
      "Signals are the members of an object. Send `into=NAME`, and the State is the signal `NAME`."
    case .stateTooLarge:
      """
      The action would make the State larger than `limits.state` allows, or nest more than 500 arrays \
      and objects. Its mutation was rejected.
      """
    case .storageFull: "The disk is full. Nothing was changed. Try again when space is available."
    case .unauthorized:
      """
      Send `Authorization: Bearer` with a token of the service's issuer or operator. The field \
      `WWW-Authenticate` says why one was rejected.
      """
    case .unavailable:
      """
      The service is stopping, overloaded, or cannot reach its storage. Try later. With the member \
      `outcome`, which is unknown then, the storage may have the change or not: send it again with \
      the same `Idempotency-Key`.
      """
    case .unknownGlobal: "`GET /v1/globals` lists the globals of this host."
    case .unknownReactor: "`GET /v1/reactors` lists the reactors of this host."
    case .unknownSession:
      "Sessions are created explicitly on this host: `PUT` the session's address first."
    case .unknownVersion: "The version does not exist yet, or is no longer retained."
    case .unsupportedMediaType: "Send the body as `application/json`."
    case .versionMismatch:
      "`If-Match` or `If-None-Match` excludes the current cursor, which is the `ETag` of the response. Nothing was executed."
    }
  }
}

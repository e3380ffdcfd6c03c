/// Every kind of error that the service answers.
///
/// The raw value ends the problem's `type`, and names the page that explains it.
enum ProblemKind: String, CaseIterable {
  case actionRunning = "action-running"
  case bodyTooLarge = "body-too-large"
  case effectFailed = "effect-failed"
  case forbidden
  case headersTooLarge = "headers-too-large"
  case idempotencyKeyReused = "idempotency-key-reused"
  case invalidAction = "invalid-action"
  case invalidBody = "invalid-body"
  case invalidParameter = "invalid-parameter"
  case invalidPointer = "invalid-pointer"
  case invalidSessionID = "invalid-session-id"
  case malformedJSON = "malformed-json"
  case methodNotAllowed = "method-not-allowed"
  case notAcceptable = "not-acceptable"
  case notFound = "not-found"
  case rateLimited = "rate-limited"
  case sessionEnded = "session-ended"
  case sessionExists = "session-exists"
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
    case .forbidden: 403
    case .notFound, .unknownGlobal, .unknownReactor, .unknownSession, .unknownVersion: 404
    case .methodNotAllowed: 405
    case .notAcceptable: 406
    case .actionRunning, .sessionExists: 409
    case .sessionEnded: 410
    case .versionMismatch: 412
    case .bodyTooLarge: 413
    case .unsupportedMediaType: 415
    case .idempotencyKeyReused, .invalidAction, .invalidBody, .invalidPointer: 422
    case .rateLimited: 429
    case .headersTooLarge: 431
    case .effectFailed: 500
    case .unavailable: 503
    case .storageFull: 507
    }
  }

  var title: String {
    switch self {
    case .actionRunning: "The first request with this key is still running"
    case .bodyTooLarge: "The body is too large"
    case .effectFailed: "The action failed"
    case .forbidden: "The token does not have the right"
    case .headersTooLarge: "The header fields are too large"
    case .idempotencyKeyReused: "The key stands for another request"
    case .invalidAction: "Not an action of this reactor"
    case .invalidBody: "Not what this address takes"
    case .invalidParameter: "A parameter is not valid"
    case .invalidPointer: "Not a JSON Pointer"
    case .invalidSessionID: "Not a session id"
    case .malformedJSON: "Not JSON"
    case .methodNotAllowed: "The method is not allowed here"
    case .notAcceptable: "Nothing here in the form you accept"
    case .notFound: "Nothing here"
    case .rateLimited: "Too many requests"
    case .sessionEnded: "The session has ended"
    case .sessionExists: "The session exists already"
    case .storageFull: "The storage is full"
    case .unauthorized: "A token is needed"
    case .unavailable: "The service is not available"
    case .unknownGlobal: "No such global"
    case .unknownReactor: "No such reactor"
    case .unknownSession: "No such session"
    case .unknownVersion: "No such version"
    case .unsupportedMediaType: "The body has an unsupported type"
    case .versionMismatch: "The session is at another version"
    }
  }

  /// What a client's developer should know and do, for the page under `/problems/`.
  var explanation: String {
    switch self {
    case .actionRunning:
      "A request with the same Idempotency-Key has not been answered yet. Wait, then send it again."
    case .bodyTooLarge:
      "The request's body is larger than limits.body allows. Nothing was changed. Send less at once."
    case .effectFailed:
      """
      The reactor's mutate failed for this action. Mutations that were committed before the failure \
      stay; the session goes on. The title and the status may be the reactor's own.
      """
    case .forbidden:
      """
      The token is known, but may not do this: it reads and the request writes, or it is for other \
      reactors.
      """
    case .headersTooLarge:
      """
      The request line and header fields are larger than limits.headers allows. Send fewer or \
      shorter ones.
      """
    case .idempotencyKeyReused:
      "The Idempotency-Key was used for another body in this session. Use a new key for each action."
    case .invalidAction:
      """
      The body is JSON, but not an action: pointer says which value is wrong, expected what it could \
      be. Nothing ran. The reactor's page in the catalogue has a schema and examples.
      """
    case .invalidBody:
      "The body is JSON, but not what this address takes. pointer says which value is wrong."
    case .invalidParameter: "A query parameter or header field has a value that cannot be used."
    case .invalidPointer:
      "select takes a JSON Pointer (RFC 6901): empty, or parts that each begin with a slash."
    case .invalidSessionID:
      "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ - and neither . nor .. itself."
    case .malformedJSON: "The body is not JSON. offset is the byte where it broke, counted from 0."
    case .methodNotAllowed: "The Allow field of the answer lists the methods of this address."
    case .notAcceptable:
      "The Accept field of the request excludes every form that this address has."
    case .notFound: "The address, or the selected part of the state, does not exist."
    case .rateLimited:
      """
      More requests came from the client's address than limits.rate allows, or it has more \
      connections than limits.address. The fields RateLimit and Retry-After say when to try again.
      """
    case .sessionEnded:
      "The session was deleted. A PUT makes a new one under the same id, with a new history."
    case .sessionExists: "Use another id, or PUT, which takes the session that is there."
    case .storageFull: "The disk is full. Nothing was changed. Try again when there is room."
    case .unauthorized:
      "Send Authorization: Bearer with one of the tokens that the operator has given out."
    case .unavailable:
      "The service is stopping, overloaded, or cannot reach its storage. Try later."
    case .unknownGlobal: "GET /v1/globals lists the globals of this host."
    case .unknownReactor: "GET /v1/reactors lists the reactors of this host."
    case .unknownSession:
      "Sessions are made explicitly on this host: PUT the session's address first."
    case .unknownVersion: "The version has not come yet, or is no longer kept."
    case .unsupportedMediaType: "Send the body as application/json."
    case .versionMismatch:
      "If-Match does not hold: the ETag of the answer is the session's real cursor. Nothing ran."
    }
  }
}

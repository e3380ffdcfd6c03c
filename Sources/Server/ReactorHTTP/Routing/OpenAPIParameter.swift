internal import ReactorCoding

/// The parameters of all endpoints; the raw value is the name of the component.
enum OpenAPIParameter: String, CaseIterable {
  case reactor, session, effect, timer, failure, global, revocation, stream, problem, file,
    inspectorFile, exampleFile
  case limit, afterSession, sessionPrefix, afterVersion, afterEffect, afterTimer
  case afterChange, changeReactor, changeSession, changeContent
  case version, select, selections, delta, old, format, into, replay, activity, presence, signals
  case subscriberName, afterSubscriber, lastEventIDQuery, sessions
  case lastEventID, datastarRequest, idempotencyKey, prefer, ifMatch, ifNoneMatch
  case describedReactor
  case explainedRight, explainedTarget, explainedAction, explainedClaims, explainedRequest
  case requestID, traceparent

  /// The name of a parameter of the query, or `nil` for one of the path or a header field.
  var queryName: String? {
    switch self {
    case .limit, .version, .select, .delta, .old, .format, .into, .replay, .activity, .presence,
      .signals:
      rawValue
    case .afterSession, .afterVersion, .afterEffect, .afterTimer, .afterChange, .afterSubscriber:
      "after"
    case .selections: "select"
    case .sessionPrefix: "prefix"
    case .changeReactor, .describedReactor: "reactor"
    case .changeSession, .sessions: "session"
    case .changeContent: "with"
    case .subscriberName: "name"
    case .lastEventIDQuery: "last_event_id"
    case .explainedRight: "right"
    case .explainedTarget: "on"
    case .explainedAction: "do"
    case .explainedClaims: "claims"
    case .explainedRequest: "request"
    case .reactor, .session, .effect, .timer, .failure, .global, .revocation, .stream, .problem,
      .file, .inspectorFile, .exampleFile, .lastEventID, .datastarRequest, .idempotencyKey,
      .prefer, .ifMatch, .ifNoneMatch, .requestID, .traceparent:
      nil
    }
  }

  /// Whether a query can have the parameter several times.
  var isRepeatable: Bool {
    switch self {
    case .changeReactor, .selections, .into, .sessions: true
    default: false
    }
  }

  var reference: JSONValue {
    ["$ref": .string("#/components/parameters/\(rawValue)")]
  }
}

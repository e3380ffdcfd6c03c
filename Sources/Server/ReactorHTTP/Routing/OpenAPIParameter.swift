internal import ReactorCoding

/// The parameters of all endpoints; the raw value is the name of the component.
enum OpenAPIParameter: String, CaseIterable {
  case reactor, session, effect, timer, failure, global, revocation, stream, problem, file,
    inspectorFile, exampleFile
  case limit, afterSession, sessionPrefix, afterVersion, afterEffect, afterTimer
  case afterChange, changeReactor, changeSession, changeContent
  case version, select, delta, old, format, into, replay, activity, presence, signals
  case subscriberName, afterSubscriber, lastEventIDQuery, sessions
  case lastEventID, datastarRequest, idempotencyKey, prefer, ifMatch, ifNoneMatch
  case describedReactor
  case explainedRight, explainedTarget, explainedAction, explainedClaims, explainedRequest
  case requestID, traceparent

  var reference: JSONValue {
    ["$ref": .string("#/components/parameters/\(rawValue)")]
  }
}

internal import ReactorTransport
internal import ReactorCoding
internal import ReactorHost

/// The schemas that do not depend on the hosted reactors.
enum OpenAPISchemas {
  static let common = members([
    "Problem": problem, "Health": health, "ReactorList": reactorList,
    "ReactorDescription": reactorDescription, "SessionList": sessionList, "LogEntry": logEntry,
    "Change": change, "StreamedChange": streamedChange, "EffectList": effectList,
    "FailureList": failureList, "TimerList": timerList, "Presence": presence,
    "Activity": activity, "Signal": signal, "Patch": patch, "GlobalList": globalList,
    "Quarantine": quarantine, "NodeList": nodeList, "SampleList": sampleList,
    "ServiceTimerList": serviceTimerList, "NewTicket": newTicket, "Ticket": ticket,
    "AccessExplanations": accessExplanations,
    "NewRevocation": object(revocationMembers, optional: Set(revocationMembers.map(\.name))),
    "Revocation": revocation, "RevocationList": list("revocations", of: revocation),
  ])

  /// Returns the schemas of the bodies that create sessions; parameters satisfy at least one of
  /// `schemas`.
  static func creation(parameters schemas: [JSONValue]) -> [JSONValue.Member] {
    var parameters: JSONValue = [
      "description": "The parameters, if the reactor takes any; immutable."
    ]
    if !schemas.isEmpty { parameters["anyOf"] = .array(schemas + [["type": "null"]]) }
    let ensured = members(["parameters": parameters])
    return members([
      "NewSession": closed(
        object(ensured + newSessionMembers, optional: ["id", "from", "parameters"])),
      "EnsuredSession": closed(object(ensured, optional: ["parameters"])),
    ])
  }

  // MARK: Forms

  private static let text: JSONValue = ["type": "string"]
  private static let boolean: JSONValue = ["type": "boolean"]
  private static let integer: JSONValue = ["type": "integer"]
  private static let count: JSONValue = ["type": "integer", "format": "int64", "minimum": 0]
  private static let positive: JSONValue = ["type": "integer", "format": "int64", "minimum": 1]
  private static let status: JSONValue = ["type": "integer", "minimum": 400, "maximum": 599]
  private static let fraction: JSONValue = ["type": "number", "minimum": 0, "maximum": 1]
  private static let time: JSONValue = ["type": "string", "format": "date-time"]
  private static let sessionID: JSONValue = [
    "type": "string", "pattern": "^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$",
  ]
  private static let cursor: JSONValue = [
    "type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$",
    "description": "`{epoch}-{version}`: a position in one history.",
  ]
  private static let principal = text("The principal whose request caused it.")
  private static let unreadable = described(
    boolean, "Whether it waits for a release of the reactor that can read it.")

  private static func text(_ description: String) -> JSONValue { described(text, description) }

  /// Returns a schema with a description as its last member.
  private static func described(_ schema: JSONValue, _ description: String) -> JSONValue {
    var schema = schema
    schema["description"] = .string(description)
    return schema
  }

  /// Returns a schema that also permits `null`.
  private static func nullable(_ schema: JSONValue) -> JSONValue {
    var schema = schema
    schema["type"] = schema["type"].map { [$0, "null"] }
    return schema
  }

  private static func array(of entry: JSONValue) -> JSONValue { ["type": "array", "items": entry] }

  /// Returns the schema of an object; its members are required unless they are listed as optional.
  private static func object(
    _ schemas: KeyValuePairs<String, JSONValue>, optional: Set<String> = []
  ) -> JSONValue {
    object(members(schemas), optional: optional)
  }

  private static func object(_ members: [JSONValue.Member], optional: Set<String> = []) -> JSONValue
  {
    let required = members.map(\.name).filter { !optional.contains($0) }
    var schema: JSONValue = ["type": "object", "properties": .object(members)]
    if !required.isEmpty { schema["required"] = .array(required.map { .string($0) }) }
    return schema
  }

  private static func members(_ schemas: KeyValuePairs<String, JSONValue>) -> [JSONValue.Member] {
    schemas.map { .init($0.key, $0.value) }
  }

  /// Returns the schema of an object without other members.
  private static func closed(_ object: JSONValue) -> JSONValue {
    var object = object
    object["additionalProperties"] = false
    return object
  }

  private static func list(_ name: String, of entry: JSONValue) -> JSONValue {
    object([.init(name, array(of: entry))])
  }

  // MARK: Bodies

  private static let problem = described(
    object(
      [
        "type": ["type": "string", "format": "uri-reference", "pattern": "^/(.+/)?problems/"],
        "title": text, "status": status, "detail": text,
        "pointer": text("Which value of the body is wrong."), "expected": array(of: text),
        "offset": described(integer, "The byte where parsing failed."),
        "index": described(integer, "Which action of an array failed."),
        "parameter": text, "offered": array(of: text),
        "code": text("The kind of a reactor's own error."),
        "data": ["description": "The values of a reactor's own error."],
      ],
      optional: [
        "pointer", "expected", "offset", "index", "parameter", "offered", "code", "data",
      ]),
    "An error (RFC 9457). `detail` says what to do.")

  private static let health = object(["status": text, "detail": text], optional: ["detail"])

  private static let reactorLinks = object(
    ["self": text, "sessions": text, "example": text], optional: ["example"])

  private static let reactorList = list(
    "reactors", of: object(["name": text, "summary": text, "links": reactorLinks]))

  private static let reactorDescription = object([
    "name": text, "summary": text,
    "actionSchema": ["type": "object"], "mutationSchema": ["type": "object"],
    "stateSchema": ["type": "object"], "initialState": [:],
    "exampleActions": ["type": "array"], "parametersSchema": ["type": ["object", "null"]],
    "errorSchema": ["type": ["object", "null"]],
    "defaultParameters": [:], "exampleParameters": [:], "links": reactorLinks,
  ])

  private static let sessionList = list(
    "sessions",
    of: object(
      [
        "id": text, "cursor": cursor, "subscribers": count, "effects": count, "lastActiveAt": time,
        "node": text("Its owner, in a cluster and while in memory."),
      ], optional: ["node"]))

  private static let newSessionMembers = members([
    "id": described(nullable(sessionID), "The id; generated if absent."),
    "from": [
      "description": "The session whose history is copied, up to a version.",
      "type": ["object", "null"], "additionalProperties": false,
      "properties": [
        "session": sessionID,
        "version": nullable(count),
        "timers": described(
          nullable(boolean), "Whether the pending timers are copied; excludes `version`."),
      ],
      "required": ["session"],
    ],
  ])

  private static let newTicket = closed(
    object(
      [
        "isBoundToAddress": described(
          nullable(boolean), "Whether only the address of this request may use the ticket.")
      ], optional: ["isBoundToAddress"]))

  private static let revocationMembers: [JSONValue.Member] = {
    let name: JSONValue = ["type": "string", "minLength": 1, "maxLength": 256]
    return members([
      "jti": described(name, "Only the token with this id."),
      "sub": described(name, "Only tokens of this principal."),
      "issuer": described(name, "Only tokens of this issuer."),
      "issuedBefore": described(time, "Only tokens that were issued earlier."),
      "until": described(time, "The time at which the revocation is dropped."),
    ])
  }()

  private static let revocation = object(
    members(["id": text]) + revocationMembers.map { .init($0.name, nullable($0.value)) })

  private static let accessExplanations: JSONValue = {
    let optional = nullable(text)
    let rule = object([
      "rule": text, "allow": optional, "deny": optional, "do": nullable(array(of: text)),
      "to": optional,
      "missing": described(
        optional,
        "The right or claim that the request lacks; `null` if the rule grants the right, or denies it."
      ),
    ])
    let decision = object([
      "principal": optional,
      "derived": array(of: object(["claim": text, "from": text, "value": optional])),
      "right": text, "on": optional, "isRevoked": boolean, "isAllowed": boolean,
      "rules": array(of: rule),
    ])
    return list(
      "explanations",
      of: object([
        "at": optional, "hasDelegate": boolean, "hasWebhook": boolean, "decision": decision,
      ]))
  }()

  private static let ticket = object(["ticket": text, "expiresAt": time])

  private static let logEntry = object(
    [
      "version": positive, "at": time,
      "action": ["description": "Its cause; `null` for a global's mutation."],
      "mutation": [:], "global": text("The global that caused it."), "by": principal,
    ], optional: ["global", "by"])

  private static let changeMembers = members([
    "kind": ["enum": ["began", "changed", "ended", "global", "damaged"]],
    "name": text("The name of the global."), "reactor": text, "session": text,
    "cursor": text("The cursor after the change."),
    "forkedFrom": object(["session": text, "version": count]),
    "from": count, "to": positive, "at": time, "by": principal,
    "entries": array(of: OpenAPIDocument.reference("LogEntry")), "state": [:],
    "detail": text("The damage of the row."),
  ])

  private static let optionalChangeMembers = Set(changeMembers.map(\.name)).subtracting(["kind"])

  private static let change = object(
    members(["id": text]) + changeMembers, optional: optionalChangeMembers)

  /// The data of an event, whose `id` is that of the change.
  private static let streamedChange = object(changeMembers, optional: optionalChangeMembers)

  private static let effectList = list(
    "effects",
    of: object([
      "id": text,
      "action": ["description": "Its cause; `null` for an action of the reactor itself."],
      "startedAt": time, "progress": nullable(fraction), "unreadable": unreadable,
    ]))

  private static let failureList = list(
    "failures",
    of: object(
      [
        "id": text("Present if the failure is stored."), "session": text,
        "action": ["description": "Its cause, as JSON; `null` if it has more than 4 KiB."],
        "at": time, "by": principal, "status": status, "title": text, "detail": text, "code": text,
        "unreadable": unreadable, "timer": text("The id of the unreadable timer."),
        "effect": text("The id of the unreadable action among the effects."),
      ], optional: ["id", "by", "code", "unreadable", "timer", "effect"]))

  private static let quarantine = list(
    "quarantine",
    of: object([
      "reactor": text,
      "session": described(nullable(text), "`null` if the reactor as a whole is rejected."),
      "action": described(
        nullable(text),
        "The beginning of its JSON; `null` if the session as a whole is rejected."),
      "at": time, "signal": text,
    ]))

  private static let nodeList = object([
    "nodes": array(of: node),
    "gone": described(
      array(of: object(["name": text, "since": time])),
      "The nodes that failed or left in the last hour."),
  ])

  private static let sampleList = object([
    "interval": described(integer, "The seconds between two samples."),
    "latest": described(nullable(time), "The time of the last ones."),
    "series": object(
      MetricsSamples.names.map { .init($0, array(of: ["type": ["number", "null"]])) }),
  ])

  private static let serviceTimerList = list(
    "timers", of: object(["reactor": text, "session": text, "id": text, "dueAt": time]))

  private static let node = object([
    "name": text,
    "state": ["enum": ["joining", "ready", "draining", "left"]],
    "version": described(nullable(text), "`null` if it has not replied."),
    "sessions": described(
      nullable(count), "The sessions in its memory; `null` if it has not replied."),
    "isThis": boolean, "differences": array(of: text),
  ])

  private static let timerList = list(
    "timers",
    of: object([
      "id": text, "action": ["description": "The action that is executed."], "dueAt": time,
      "every": [
        "type": ["number", "null"], "exclusiveMinimum": 0,
        "description": "The seconds between two repetitions.",
      ],
      "catchUp": boolean,
      "quarantined": described(
        boolean, "Whether the action has crashed the service, so that it is not executed."),
      "unreadable": unreadable,
    ]))

  private static let presence = object([
    "count": count, "subscribers": array(of: object(["name": text, "streams": positive])),
    "more": count,
  ])

  private static let activity = object([
    "running": count, "progress": described(nullable(fraction), "`null` if it is unknown."),
  ])

  private static let signal = object([
    "from": described(nullable(text), "The name of the sender, if it has one."),
    "signal": ["description": "The message, any JSON."],
  ])

  private static let patch = array(
    of: object(
      [
        "op": ["enum": ["add", "remove", "replace", "move", "copy", "test"]],
        "path": text, "from": text, "value": [:],
      ], optional: ["from", "value"]))

  private static let globalList = list(
    "globals",
    of: object(["name": text, "links": ["type": "object", "additionalProperties": text]]))
}

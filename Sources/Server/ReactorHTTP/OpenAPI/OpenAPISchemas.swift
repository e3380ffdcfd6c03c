internal import ReactorTransport
internal import ReactorCoding
internal import ReactorHost

/// The schemas that do not depend on the hosted reactors.
enum OpenAPISchemas {
  static let common: [JSONValue.Member] = [
    .init("Problem", problem), .init("Health", health), .init("ReactorList", reactorList),
    .init("ReactorDescription", reactorDescription), .init("SessionList", sessionList),
    .init("LogEntry", logEntry), .init("Change", change), .init("StreamedChange", streamedChange),
    .init("EffectList", effectList),
    .init("FailureList", failureList),
    .init("TimerList", timerList), .init("Presence", presence),
    .init("Activity", activity), .init("Signal", signal), .init("Patch", patch),
    .init("GlobalList", globalList), .init("Quarantine", quarantine),
    .init("NodeList", nodeList), .init("SampleList", sampleList),
    .init("ServiceTimerList", serviceTimerList),
    .init("NewTicket", newTicket), .init("Ticket", ticket),
    .init("AccessExplanations", accessExplanations),
    .init("NewRevocation", object(revocationMembers, optional: Set(revocationMembers.map(\.name)))),
    .init("Revocation", revocation), .init("RevocationList", list("revocations", of: revocation)),
  ]

  /// Returns the schemas of the bodies that create sessions; parameters satisfy at least one of
  /// `schemas`.
  static func creation(parameters schemas: [JSONValue]) -> [JSONValue.Member] {
    var parameters: JSONValue = [
      "description": "The parameters, if the reactor takes any; immutable."
    ]
    if !schemas.isEmpty { parameters["anyOf"] = .array(schemas + [["type": "null"]]) }
    let member = JSONValue.Member("parameters", parameters)
    return [
      .init("NewSession", newSession(member)),
      .init("EnsuredSession", closed(object([member], optional: ["parameters"]))),
    ]
  }

  private static let text: JSONValue = ["type": "string"]
  private static let sessionID = "^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$"
  private static let cursor: JSONValue = [
    "type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$",
    "description": "`{epoch}-{version}`: a position in one history.",
  ]
  private static let time: JSONValue = ["type": "string", "format": "date-time"]

  /// Returns the schema of an object; its members are required unless they are listed as optional.
  private static func object(_ members: [JSONValue.Member], optional: Set<String> = []) -> JSONValue
  {
    let required = members.map(\.name).filter { !optional.contains($0) }
    var schema: JSONValue = ["type": "object", "properties": .object(members)]
    if !required.isEmpty { schema["required"] = .array(required.map { .string($0) }) }
    return schema
  }

  /// Returns the schema of an object without other members.
  private static func closed(_ object: JSONValue) -> JSONValue {
    var object = object
    object["additionalProperties"] = false
    return object
  }

  private static func list(_ name: String, of entry: JSONValue) -> JSONValue {
    object([.init(name, ["type": "array", "items": entry])])
  }

  private static let problem: JSONValue = {
    let status: JSONValue = ["type": "integer", "minimum": 400, "maximum": 599]
    var schema = object(
      [
        .init(
          "type", ["type": "string", "format": "uri-reference", "pattern": "^/(.+/)?problems/"]),
        .init("title", text), .init("status", status), .init("detail", text),
        .init("pointer", ["type": "string", "description": "Which value of the body is wrong."]),
        .init("expected", ["type": "array", "items": text]),
        .init("offset", ["type": "integer", "description": "The byte where parsing failed."]),
        .init("index", ["type": "integer", "description": "Which action of an array failed."]),
        .init("parameter", text), .init("offered", ["type": "array", "items": text]),
        .init(
          "code", ["type": "string", "description": "The kind of a reactor's own error."]),
        .init("data", ["description": "The values of a reactor's own error."]),
      ],
      optional: [
        "pointer", "expected", "offset", "index", "parameter", "offered", "code", "data",
      ])
    schema["description"] = "An error (RFC 9457). `detail` says what to do."
    return schema
  }()

  private static let health = object(
    [.init("status", text), .init("detail", text)], optional: ["detail"])

  private static let reactorLinks = object(
    [.init("self", text), .init("sessions", text), .init("example", text)], optional: ["example"])

  private static let reactorList = list(
    "reactors",
    of: object([.init("name", text), .init("summary", text), .init("links", reactorLinks)]))

  private static let reactorDescription = object([
    .init("name", text), .init("summary", text),
    .init("actionSchema", ["type": "object"]), .init("mutationSchema", ["type": "object"]),
    .init("stateSchema", ["type": "object"]), .init("initialState", [:]),
    .init("exampleActions", ["type": "array"]),
    .init("parametersSchema", ["type": ["object", "null"]]),
    .init("errorSchema", ["type": ["object", "null"]]),
    .init("defaultParameters", [:]), .init("exampleParameters", [:]), .init("links", reactorLinks),
  ])

  private static let sessionList: JSONValue = {
    let number: JSONValue = ["type": "integer", "format": "int64", "minimum": 0]
    let session = object(
      [
        .init("id", text), .init("cursor", cursor), .init("subscribers", number),
        .init("effects", number), .init("lastActiveAt", time),
        .init(
          "node", ["type": "string", "description": "Its owner, in a cluster and while in memory."]),
      ], optional: ["node"])
    return object([.init("sessions", ["type": "array", "items": session])])
  }()

  private static func newSession(_ parameters: JSONValue.Member) -> JSONValue {
    closed(object([parameters] + newSessionMembers, optional: ["id", "from", "parameters"]))
  }

  private static let newSessionMembers: [JSONValue.Member] = [

    .init(
      "id",
      [
        "type": ["string", "null"], "pattern": .string(sessionID),
        "description": "The id; generated if absent.",
      ]),
    .init(
      "from",
      [
        "description": "The session whose history is copied, up to a version.",
        "type": ["object", "null"], "additionalProperties": false,
        "properties": [
          "session": ["type": "string", "pattern": .string(sessionID)],
          "version": ["type": ["integer", "null"], "format": "int64", "minimum": 0],
          "timers": [
            "type": ["boolean", "null"],
            "description": "Whether the pending timers are copied; excludes `version`.",
          ],
        ],
        "required": ["session"],
      ]),
  ]

  private static let newTicket = closed(
    object(
      [
        .init(
          "isBoundToAddress",
          [
            "type": ["boolean", "null"],
            "description": "Whether only the address of this request may use the ticket.",
          ])
      ], optional: ["isBoundToAddress"]))

  private static let revocationMembers: [JSONValue.Member] = {
    func member(_ name: String, _ detail: String, isTime: Bool = false) -> JSONValue.Member {
      var schema: JSONValue = isTime ? time : ["type": "string", "minLength": 1, "maxLength": 256]
      schema["description"] = .string(detail)
      return .init(name, schema)
    }
    return [
      member("jti", "Only the token with this id."),
      member("sub", "Only tokens of this principal."),
      member("issuer", "Only tokens of this issuer."),
      member("issuedBefore", "Only tokens that were issued earlier.", isTime: true),
      member("until", "The time at which the revocation is dropped.", isTime: true),
    ]
  }()

  private static let revocation = object(
    [.init("id", text)]
      + revocationMembers.map { member -> JSONValue.Member in
        var schema = member.value
        schema["type"] = ["string", "null"]
        return JSONValue.Member(member.name, schema)
      })

  private static let accessExplanations: JSONValue = {
    let boolean: JSONValue = ["type": "boolean"]
    let optional: JSONValue = ["type": ["string", "null"]]
    let rule = object([
      .init("rule", text), .init("allow", optional), .init("deny", optional),
      .init("do", ["type": ["array", "null"], "items": text]), .init("to", optional),
      .init(
        "missing",
        [
          "type": ["string", "null"],
          "description":
            "The right or claim that the request lacks; `null` if the rule grants the right, or denies it.",
        ]),
    ])
    let decision = object([
      .init("principal", optional),
      .init(
        "derived",
        [
          "type": "array",
          "items": object([
            .init("claim", text), .init("from", text), .init("value", optional),
          ]),
        ]), .init("right", text), .init("on", optional),
      .init("isRevoked", boolean), .init("isAllowed", boolean),
      .init("rules", ["type": "array", "items": rule]),
    ])
    return list(
      "explanations",
      of: object([
        .init("at", optional), .init("hasDelegate", boolean), .init("hasWebhook", boolean),
        .init("decision", decision),
      ]))
  }()

  private static let ticket = object([
    .init("ticket", text), .init("expiresAt", time),
  ])

  private static let logEntry = object(
    [
      .init("version", ["type": "integer", "format": "int64", "minimum": 1]), .init("at", time),
      .init("action", ["description": "Its cause; `null` for a global's mutation."]),
      .init("mutation", [:]),
      .init("global", ["type": "string", "description": "The global that caused it."]),
      .init(
        "by", ["type": "string", "description": "The principal whose request caused it."]),
    ], optional: ["global", "by"])

  private static let changeMembers: [JSONValue.Member] = [
    .init("kind", ["enum": ["began", "changed", "ended", "global", "damaged"]]),
    .init("name", ["type": "string", "description": "The name of the global."]),
    .init("reactor", text), .init("session", text),
    .init("cursor", ["type": "string", "description": "The cursor after the change."]),
    .init(
      "forkedFrom",
      object([
        .init("session", text),
        .init("version", ["type": "integer", "format": "int64", "minimum": 0]),
      ])),
    .init("from", ["type": "integer", "format": "int64", "minimum": 0]),
    .init("to", ["type": "integer", "format": "int64", "minimum": 1]),
    .init("at", time),
    .init("by", ["type": "string", "description": "The principal whose request caused it."]),
    .init("entries", ["type": "array", "items": OpenAPIDocument.reference("LogEntry")]),
    .init("state", [:]),
    .init("detail", ["type": "string", "description": "The damage of the row."]),
  ]

  private static let optionalChangeMembers = Set(changeMembers.map(\.name)).subtracting(["kind"])

  private static let change = object(
    [.init("id", text)] + changeMembers, optional: optionalChangeMembers)

  /// The data of an event, whose `id` is that of the change.
  private static let streamedChange = object(changeMembers, optional: optionalChangeMembers)

  private static let effectList = list(
    "effects",
    of: object([
      .init("id", text),
      .init(
        "action", ["description": "Its cause; `null` for an action of the reactor itself."]),
      .init("startedAt", time),
      .init("progress", ["type": ["number", "null"], "minimum": 0, "maximum": 1]),
      .init("unreadable", unreadable),
    ]))

  private static let unreadable: JSONValue = [
    "type": "boolean",
    "description": "Whether it waits for a release of the reactor that can read it.",
  ]

  private static let failureList = list(
    "failures",
    of: object(
      [
        .init("id", ["type": "string", "description": "Present if the failure is stored."]),
        .init("session", text),
        .init(
          "action", ["description": "Its cause, as JSON; `null` if it has more than 4 KiB."]),
        .init("at", time),
        .init(
          "by", ["type": "string", "description": "The principal whose request caused it."]),
        .init("status", ["type": "integer", "minimum": 400, "maximum": 599]),
        .init("title", text), .init("detail", text), .init("code", text),
        .init("unreadable", unreadable),
        .init("timer", ["type": "string", "description": "The id of the unreadable timer."]),
        .init(
          "effect",
          ["type": "string", "description": "The id of the unreadable action among the effects."]),
      ], optional: ["id", "by", "code", "unreadable", "timer", "effect"]))

  private static let quarantine = list(
    "quarantine",
    of: object([
      .init("reactor", text),
      .init(
        "session",
        [
          "type": ["string", "null"],
          "description": "`null` if the reactor as a whole is rejected.",
        ]),
      .init(
        "action",
        [
          "type": ["string", "null"],
          "description": "The beginning of its JSON; `null` if the session as a whole is rejected.",
        ]),
      .init("at", time),
      .init("signal", text),
    ]))

  private static let nodeList = object([
    .init("nodes", ["type": "array", "items": node]),
    .init(
      "gone",
      [
        "type": "array", "items": object([.init("name", text), .init("since", time)]),
        "description": "The nodes that failed or left in the last hour.",
      ]),
  ])

  private static let sampleList = object([
    .init("interval", ["type": "integer", "description": "The seconds between two samples."]),
    .init(
      "latest",
      [
        "type": ["string", "null"], "format": "date-time",
        "description": "The time of the last ones.",
      ]),
    .init(
      "series",
      object(
        MetricsSamples.names.map {
          .init($0, ["type": "array", "items": ["type": ["number", "null"]]])
        })),
  ])

  private static let serviceTimerList = list(
    "timers",
    of: object([
      .init("reactor", text), .init("session", text), .init("id", text), .init("dueAt", time),
    ]))

  private static let node = object([
    .init("name", text),
    .init("state", ["enum": ["joining", "ready", "draining", "left"]]),
    .init(
      "version", ["type": ["string", "null"], "description": "`null` if it has not replied."]),
    .init(
      "sessions",
      [
        "type": ["integer", "null"], "format": "int64", "minimum": 0,
        "description": "The sessions in its memory; `null` if it has not replied.",
      ]),
    .init("isThis", ["type": "boolean"]),
    .init("differences", ["type": "array", "items": text]),
  ])

  private static let timerList = list(
    "timers",
    of: object([
      .init("id", text),
      .init("action", ["description": "The action that is executed."]),
      .init("dueAt", time),
      .init(
        "every",
        [
          "type": ["number", "null"], "exclusiveMinimum": 0,
          "description": "The seconds between two repetitions.",
        ]),
      .init("catchUp", ["type": "boolean"]),
      .init(
        "quarantined",
        [
          "type": "boolean",
          "description": "Whether the action has crashed the service, so that it is not executed.",
        ]),
      .init("unreadable", unreadable),
    ]))

  private static let presence: JSONValue = {
    let number: JSONValue = ["type": "integer", "format": "int64", "minimum": 0]
    let subscriber = object([
      .init("name", text), .init("streams", ["type": "integer", "format": "int64", "minimum": 1]),
    ])
    return object([
      .init("count", number),
      .init("subscribers", ["type": "array", "items": subscriber]),
      .init("more", number),
    ])
  }()

  private static let activity = object([
    .init("running", ["type": "integer", "format": "int64", "minimum": 0]),
    .init(
      "progress",
      [
        "type": ["number", "null"], "minimum": 0, "maximum": 1,
        "description": "`null` if it is unknown.",
      ]),
  ])

  private static let signal = object([
    .init(
      "from",
      ["type": ["string", "null"], "description": "The name of the sender, if it has one."]),
    .init("signal", ["description": "The message, any JSON."]),
  ])

  private static let patch: JSONValue = [
    "type": "array",
    "items": object(
      [
        .init("op", ["enum": ["add", "remove", "replace", "move", "copy", "test"]]),
        .init("path", text), .init("from", text), .init("value", [:]),
      ], optional: ["from", "value"]),
  ]

  private static let globalList = list(
    "globals",
    of: object([
      .init("name", text),
      .init("links", ["type": "object", "additionalProperties": text]),
    ]))
}

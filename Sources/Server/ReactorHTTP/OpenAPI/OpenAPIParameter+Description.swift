internal import Identity
internal import ReactorCoding
internal import ReactorHost

extension OpenAPIParameter {
  func description(for host: Host, files: StaticFiles) -> JSONValue {
    switch self {
    case .reactor:
      path("reactor", "The name of a hosted reactor.", names: host.reactors.map(\.name))
    case .session:
      path(
        "session", "The session's id.",
        Self.idSchema, example: "demo")
    case .effect:
      path(
        "effect", "The effect's id, from the list of running effects.",
        ["type": "string", "minLength": 1])
    case .timer:
      path("timer", "The timer's id, from the list of timers.", Self.idSchema, example: "deadline")
    case .failure:
      path("failure", "The failure's id, from the list of failures.", Self.idSchema)
    case .global: path("global", "The name of a global.", names: host.globals.map(\.name))
    case .stream:
      path(
        "stream", "The id in `Stream-Id` of the stream.",
        ["type": "string", "pattern": "^[0-9a-f]{32}$"])
    case .revocation:
      path("revocation", "The revocation's id, from the list of revocations.", Self.idSchema)
    case .problem:
      path(
        "problem", "The last part of a problem's type.", names: ProblemKind.allCases.map(\.rawValue)
      )
    case .file:
      path("file", "A file that pages load.", names: files.names(in: nil))
    case .inspectorFile:
      path("inspectorFile", "A part of the inspector.", names: files.names(in: "inspector"))
    case .exampleFile:
      path("exampleFile", "A part of the examples.", names: files.names(in: "examples"))
    case .describedReactor:
      query("The only reactor that is described.", ["type": "string"])
    case .limit:
      query(
        "The most entries of a page.",
        ["type": "integer", "minimum": 1, "maximum": 1000, "default": 100])
    case .explainedRight:
      query(
        "The right in question.",
        ["type": "string", "enum": .array(Right.allCases.map { .string($0.name) })])
    case .explainedTarget:
      query(
        "The session as `reactor/session`, or the reactor; without it the service.",
        ["type": "string"])
    case .explainedAction: query("The name of an action.", ["type": "string"])
    case .explainedClaims:
      query(
        "The claims of a token as a JSON object; without them an anonymous request.",
        ["type": "string"])
    case .explainedRequest:
      query("The `X-Request-Id` of a response 403.", ["type": "string"])
    case .afterSession:
      query("The id after which the page begins, or from `Link`.", ["type": "string"])
    case .sessionPrefix:
      query("Only sessions whose id begins with this text.", ["type": "string"])
    case .afterVersion:
      query("The version after which the page begins.", Self.versionSchema)
    case .afterEffect:
      query(
        "The id of the effect after which the page begins; from `Link`.",
        ["type": "string"])
    case .afterTimer:
      query(
        "The position after which the page begins; from `Link`.",
        ["type": "string", "pattern": #"^[0-9]{1,15}:(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$"#])
    case .afterChange:
      query(
        "The id of the last change that the client has; 0 for the oldest retained one.",
        ["type": "string", "pattern": #"^(0|[0-9a-z]+\.(0|[1-9][0-9]*))$"#])
    case .changeReactor:
      query(
        "Only changes of these reactors.",
        ["type": "array", "items": ["type": "string"]])
    case .changeSession:
      query("Only changes of this session of the one reactor.", ["type": "string"])
    case .changeContent:
      query(
        "Adds the log entries of each change, or the State after it.",
        ["type": "string", "enum": ["entries", "state"]])
    case .version:
      query("The State at this version.", Self.versionSchema)
    case .select:
      query(
        "A JSON Pointer (RFC 6901) to a part of the State.",
        ["type": "string", "pattern": "^(/([^~]|~[01])*)?$"])
    case .selections:
      query(
        "JSON Pointers (RFC 6901): one for all sessions, or one per session in their order; `none` sends no States.",
        [
          "type": "array",
          "items": ["type": "string", "pattern": "^(none|(/([^~]|~[01])*)?)$"],
        ])
    case .delta:
      query(
        "Sends the first State whole, and then JSON Patches (RFC 6902) or Merge Patches (RFC 7396).",
        ["type": "string", "enum": ["patch", "merge"]])
    case .old:
      query(
        "Sends `{\"old\":…,\"new\":…}`; excludes `delta` and `format`.",
        ["type": "boolean"])
    case .format:
      query(
        "Sends the signals of the Datastar client; excludes `delta` and `old`.",
        ["type": "string", "enum": ["datastar"]])
    case .into:
      query(
        "The names of the signals that contain the States, in the order of the sessions.",
        [
          "type": "array",
          "items": [
            "type": "string", "minLength": 1, "maxLength": 128,
            "pattern": "^(?!.*__)[A-Za-z0-9_]*$",
          ],
        ])
    case .datastarRequest:
      header(
        "Datastar-Request", "`true` is as `format=datastar`; the Datastar client sends it.",
        ["type": "string"])
    case .activity:
      query(
        "Sends the number of running effects and their progress.", ["type": "boolean"])
    case .presence:
      query(
        "Sends the subscribers, after changes at most four times per second.",
        ["type": "boolean"])
    case .signals:
      query(
        "Sends the signals that are published from now on.", ["type": "boolean"])
    case .subscriberName:
      query(
        "The name of the client among the subscribers, in a service without authentication.",
        ["type": "string", "minLength": 1])
    case .afterSubscriber:
      query(
        "The name after which the page begins; from `Link`.", ["type": "string"])
    case .sessions:
      query(
        "The sessions of the stream, each as `{reactor}/{session}`.",
        [
          "type": "array", "minItems": 1,
          "items": [
            "type": "string", "pattern": "^[^/]+/(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$",
          ],
        ], isRequired: true)
    case .replay:
      query(
        "Sends every version after the cursor, without conflation.",
        ["type": "string", "enum": ["all"]])
    case .lastEventIDQuery:
      query(
        "As `Last-Event-ID`, for a page after a reload; the field wins.",
        ["type": "string"])
    case .lastEventID:
      header(
        "Last-Event-ID", "The cursor of the last event that the client has; browsers send it.",
        ["type": "string"])
    case .idempotencyKey:
      header(
        "Idempotency-Key",
        "A repeated request with the same body runs once and gets the first response.",
        [
          "type": "string",
          "pattern": #"^([!#-~]{1,128}|"([ !#-\[\]-~]|\\["\\]){1,128}")$"#,
        ])
    case .prefer:
      header(
        "Prefer", "RFC 7240: `respond-async`, `wait=N` (seconds), `return=minimal`.",
        ["type": "string"])
    case .ifMatch:
      header(
        "If-Match", "Executed only at this cursor of the session or global, else 412.",
        Self.tagsSchema)
    case .requestID:
      header(
        "X-Request-Id",
        "An id for the request, repeated in logs and in the response; replaced if malformed.",
        ["type": "string"])
    case .traceparent:
      header(
        "traceparent", "W3C Trace Context: the trace that the request belongs to.",
        ["type": "string"])
    case .ifNoneMatch:
      header(
        "If-None-Match", "The client's `ETag`: if it is current, 304, and 412 for a PUT.",
        Self.tagsSchema)
    }
  }

  /// The ids of sessions and timers.
  private static let idSchema: JSONValue = [
    "type": "string", "minLength": 1, "maxLength": 128,
    "pattern": "^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$",
  ]

  /// `*`, or a list of entity tags (RFC 9110, 8.8.3).
  private static let tagsSchema: JSONValue = ["type": "string"]

  /// The numbers of versions.
  private static let versionSchema: JSONValue = [
    "type": "integer", "format": "int64", "minimum": 0, "maximum": .number(JSONNumber(Int.max)),
  ]

  private func path(
    _ name: String, _ text: String, _ schema: JSONValue, example: JSONValue? = nil
  ) -> JSONValue {
    var description = parameter(name, in: "path", text, schema)
    description["required"] = true
    description["example"] = example
    return description
  }

  private func path(_ name: String, _ text: String, names: [String]) -> JSONValue {
    // An `enum` must not be empty.
    guard let first = names.first else { return path(name, text, ["type": "string"]) }
    return path(
      name, text, ["type": "string", "enum": .array(names.map { .string($0) })],
      example: .string(first))
  }

  private func query(
    _ text: String, _ schema: JSONValue, isRequired: Bool = false
  ) -> JSONValue {
    var description = parameter(queryName ?? rawValue, in: "query", text, schema)
    if isRequired { description["required"] = true }
    return description
  }

  private func header(_ name: String, _ text: String, _ schema: JSONValue) -> JSONValue {
    parameter(name, in: "header", text, schema)
  }

  private func parameter(
    _ name: String, in place: String, _ text: String, _ schema: JSONValue
  ) -> JSONValue {
    ["name": .string(name), "in": .string(place), "description": .string(text), "schema": schema]
  }
}

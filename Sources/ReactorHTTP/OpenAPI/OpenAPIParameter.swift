internal import ReactorCoding
internal import ReactorHost

/// The parameters of all addresses.
///
/// The raw value is the name under which the document describes the parameter, once.
enum OpenAPIParameter: String, CaseIterable {
  case reactor, session, effect, global, problem, file, inspectorFile, exampleFile
  case limit, afterSession, afterVersion, afterEffect
  case version, select, delta, replay, activity, lastEventIDQuery, sessions
  case lastEventID, idempotencyKey, prefer, ifMatch, ifNoneMatch
  case requestID, traceparent

  var reference: JSONValue {
    ["$ref": .string("#/components/parameters/\(rawValue)")]
  }

  private static func files(in folder: Substring?) -> [String] {
    PageFile.allCases.filter { $0.folder == folder }.map { String($0.name) }
  }

  /// The description, for a host.
  func description(for host: Host) -> JSONValue {
    switch self {
    case .reactor:
      path("reactor", "The name of a hosted reactor.", names: host.reactors.map(\.name))
    case .session:
      path(
        "session", "The session's id.",
        [
          "type": "string", "minLength": 1, "maxLength": 128,
          "pattern": "^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$",
        ], example: "demo")
    case .effect:
      path(
        "effect", "The effect's id, from the list of those that run.",
        ["type": "string", "minLength": 1])
    case .global: path("global", "The name of a global.", names: host.globals.map(\.name))
    case .problem:
      path("problem", "What a problem's type ends in.", names: ProblemKind.allCases.map(\.rawValue))
    case .file:
      path("file", "A file that pages load.", names: Self.files(in: nil))
    case .inspectorFile:
      path("inspectorFile", "A part of the inspector.", names: Self.files(in: "inspector"))
    case .exampleFile:
      path("exampleFile", "A part of the examples.", names: Self.files(in: "examples"))
    case .limit:
      query(
        "limit", "How many entries a page has at most.",
        ["type": "integer", "minimum": 1, "maximum": 1000, "default": 100])
    case .afterSession:
      query("after", "The id that the page begins after; `Link` has it.", ["type": "string"])
    case .afterVersion:
      query(
        "after", "The version that the page begins after.",
        ["type": "integer", "minimum": 0, "default": 0])
    case .afterEffect:
      query(
        "after", "The id of the effect that the page begins after; `Link` has it.",
        ["type": "string"])
    case .version:
      query("version", "The state as it was at this version.", ["type": "integer", "minimum": 0])
    case .select:
      query(
        "select", "A JSON Pointer (RFC 6901): the part of the state that is given.",
        ["type": "string", "pattern": "^(/([^~]|~[01])*)?$"])
    case .delta:
      query(
        "delta", "Sends the first state whole, and then JSON Patches (RFC 6902).",
        ["type": "string", "enum": ["patch"]])
    case .activity:
      query(
        "activity", "Tells how many effects run, and how far they are.", ["type": "boolean"])
    case .sessions:
      query(
        "session", "The sessions of the stream, each as `{reactor}/{session}`.",
        [
          "type": "array", "minItems": 1,
          "items": [
            "type": "string", "pattern": "^[^/]+/(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$",
          ],
        ], isRequired: true)
    case .replay:
      query(
        "replay", "Sends every version after the cursor, however slow the reader.",
        ["type": "string", "enum": ["all"]])
    case .lastEventIDQuery:
      query(
        "last_event_id", "As `Last-Event-ID`, for a page after a reload; the field wins.",
        ["type": "string"])
    case .lastEventID:
      header(
        "Last-Event-ID", "The cursor of the last event that the client has; browsers send it.",
        ["type": "string"])
    case .idempotencyKey:
      header(
        "Idempotency-Key", "The same key with the same body runs once, and is answered alike.",
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
        "If-Match", "Runs only if the session is at this cursor, else 412.", ["type": "string"])
    case .requestID:
      header(
        "X-Request-Id",
        "A name for the request, which logs and the answer repeat; what is none gets another one.",
        ["type": "string"])
    case .traceparent:
      header(
        "traceparent", "W3C Trace Context: the trace that the request belongs to.",
        ["type": "string"])
    case .ifNoneMatch:
      header(
        "If-None-Match", "The `ETag` that the client has: 304 if it holds.", ["type": "string"])
    }
  }

  private func path(
    _ name: String, _ text: String, _ schema: JSONValue, example: JSONValue? = nil
  ) -> JSONValue {
    var description = parameter(name, in: "path", text, schema)
    description["required"] = true
    description["example"] = example
    return description
  }

  private func path(_ name: String, _ text: String, names: [String]) -> JSONValue {
    // An enum without values is no schema.
    guard let first = names.first else { return path(name, text, ["type": "string"]) }
    return path(
      name, text, ["type": "string", "enum": .array(names.map { .string($0) })],
      example: .string(first))
  }

  private func query(
    _ name: String, _ text: String, _ schema: JSONValue, isRequired: Bool = false
  ) -> JSONValue {
    var description = parameter(name, in: "query", text, schema)
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

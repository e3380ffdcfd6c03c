internal import ReactorCoding

/// What each address does: the text of `/openapi.json`.
///
/// Every address has to be here, and a test compares the methods with those that it serves.
extension Address {
  /// The schemas that the descriptions refer to.
  struct Schemas {
    /// Any hosted reactor's State.
    let state: JSONValue
    /// Any hosted reactor's action, or an array of them.
    let actions: JSONValue
    /// Actions to try.
    let actionExamples: [JSONValue.Member]
    /// Any global's value.
    let global: JSONValue
  }

  func operations(_ schemas: Schemas) -> [Operation] {
    switch self {
    case .page:
      [get("inspector", "The inspector, a web page", gives: .text("text/html"))]
    case .pageFile:
      [file("file", "The client for pages, and what all pages load", .file)]
    case .inspectorFile:
      [file("inspectorFile", "A part of the inspector", .inspectorFile)]
    case .examples:
      [get("examples", "Examples beside their source, a web page", gives: .text("text/html"))]
    case .exampleFile:
      [file("exampleFile", "A part of the examples", .exampleFile)]
    case .health:
      [get("health", "Whether the process lives", gives: .json(Self.status))]
    case .readiness:
      [
        get(
          "readiness", "Whether requests are served: 503 while draining", gives: .json(Self.status))
      ]
    case .metrics:
      [get("metrics", "Figures in the text format of Prometheus", gives: .text("text/plain"))]
    case .openAPI:
      [get("openAPI", "This document", gives: .json(["type": "object"]))]
    case .problem:
      [
        get(
          "problemPage", "What a problem means, a web page", [.problem], gives: .text("text/html"),
          problems: [.notFound])
      ]
    case .catalogue:
      [get("listReactors", "The hosted reactors", gives: .json(Self.reference("ReactorList")))]
    case .reactor:
      [
        get(
          "describeReactor", "JSON Schemas of its Action, Mutation and State, and examples",
          [.reactor], gives: .json(Self.reference("ReactorDescription")),
          problems: [.unknownReactor])
      ]
    case .types:
      [
        get(
          "declareTypes", "The types of its Action, Mutation and State, in TypeScript", [.reactor],
          gives: .text("application/typescript"), problems: [.unknownReactor])
      ]
    case .sessions: [listSessions, createSession(schemas)]
    case .session: [readState(schemas, id: "readSession"), ensureSession(schemas), endSession]
    case .state: [readState(schemas, id: "readState")]
    case .actions: [runActions(schemas)]
    case .events: [stream]
    case .log: [readLog]
    case .effects: [listEffects]
    case .effect: [cancelEffect]
    case .globals:
      [
        get(
          "listGlobals", "The values that all sessions share",
          gives: .json(Self.reference("GlobalList")))
      ]
    case .manyEvents: [streamMany]
    case .global: [readGlobal(schemas), setGlobal(schemas)]
    case .globalEvents: [streamGlobal]
    }
  }

  static func reference(_ schema: String) -> JSONValue {
    ["$ref": .string("#/components/schemas/\(schema)")]
  }

  private static let status: JSONValue = [
    "type": "object", "properties": ["status": ["type": "string"]], "required": ["status"],
  ]

  private func file(_ id: String, _ summary: String, _ name: OpenAPIParameter) -> Operation {
    get(id, summary, [name], gives: .text("*/*"), problems: [.notFound])
  }

  private func get(
    _ id: String, _ summary: String, _ parameters: [OpenAPIParameter] = [],
    gives content: Operation.Answer.Content, problems: [ProblemKind] = []
  ) -> Operation {
    Operation(
      method: "GET", id: id, summary: summary, parameters: parameters,
      answers: [.init(status: 200, description: summary, content: content)],
      problems: problems + [.notAcceptable])
  }
}

// MARK: - Sessions

extension Address {
  private var listSessions: Operation {
    Operation(
      method: "GET", id: "listSessions", summary: "The sessions of a reactor, in pages",
      parameters: [.reactor, .limit, .afterSession],
      answers: [
        .init(
          status: 200, description: "A page of sessions, in the order of their ids",
          headers: [.link], content: .json(Self.reference("SessionList")))
      ],
      problems: [.invalidParameter, .unknownReactor, .notAcceptable])
  }

  private func createSession(_ schemas: Schemas) -> Operation {
    Operation(
      method: "POST", id: "createSession", summary: "Make a session, or fork another one",
      parameters: [.reactor], body: Self.reference("NewSession"), isBodyRequired: false,
      answers: [
        .init(
          status: 201, description: "The new session's State", headers: [.etag, .location],
          content: .json(schemas.state))
      ],
      problems: [
        .malformedJSON, .invalidSessionID, .unknownReactor, .unknownSession, .unknownVersion,
        .sessionEnded, .sessionExists, .unsupportedMediaType, .invalidBody, .notAcceptable,
        .bodyTooLarge, .storageFull,
      ])
  }

  private func readState(_ schemas: Schemas, id: String) -> Operation {
    Operation(
      method: "GET", id: id, summary: "The session's State",
      detail: "With `select` a part of it, which may be any JSON.",
      parameters: [.reactor, .session, .version, .select, .ifNoneMatch],
      answers: [
        .init(
          status: 200, description: "The State, or the selected part", headers: [.etag],
          content: .json(["anyOf": [schemas.state, ["description": "The selected part."]]])),
        .init(status: 304, description: "The client has this State already", headers: [.etag]),
      ],
      problems: [
        .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession, .unknownVersion,
        .notFound, .sessionEnded, .invalidPointer, .notAcceptable,
      ])
  }

  private func ensureSession(_ schemas: Schemas) -> Operation {
    Operation(
      method: "PUT", id: "ensureSession", summary: "Make the session if it is not there",
      parameters: [.reactor, .session],
      answers: [
        .init(
          status: 200, description: "It was there; its State", headers: [.etag],
          content: .json(schemas.state)),
        .init(
          status: 201, description: "It is new; its State", headers: [.etag, .location],
          content: .json(schemas.state)),
      ],
      problems: [.invalidSessionID, .unknownReactor, .notAcceptable, .storageFull])
  }

  private var endSession: Operation {
    Operation(
      method: "DELETE", id: "endSession", summary: "End the session",
      parameters: [.reactor, .session],
      answers: [.init(status: 204, description: "It is gone, or never was")],
      problems: [.invalidSessionID, .unknownReactor, .storageFull])
  }

  private func runActions(_ schemas: Schemas) -> Operation {
    Operation(
      method: "POST", id: "runActions", summary: "Run an action, or an array of actions in order",
      detail: """
        An action is an enum case, externally tagged: `"increase"`, `{"add":5}`, \
        `{"move":{"x":1,"y":2}}`. The answer comes when every mutation is committed.
        """,
      parameters: [.reactor, .session, .prefer, .ifMatch, .idempotencyKey],
      body: schemas.actions, bodyExamples: schemas.actionExamples,
      answers: [
        .init(
          status: 200, description: "All is committed; the State",
          headers: [.etag, .preferenceApplied, .idempotentReplayed], content: .json(schemas.state)),
        .init(
          status: 202, description: "Accepted, and still running; the State of now",
          headers: [.etag, .preferenceApplied, .idempotentReplayed], content: .json(schemas.state)),
        .init(
          status: 204, description: "All is committed, with `return=minimal`",
          headers: [.etag, .preferenceApplied, .idempotentReplayed]),
      ],
      problems: [
        .malformedJSON, .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession,
        .sessionEnded, .actionRunning, .versionMismatch, .unsupportedMediaType, .invalidAction,
        .idempotencyKeyReused, .notAcceptable, .bodyTooLarge, .effectFailed, .storageFull,
      ],
      hasOwnProblems: true)
  }

  private var stream: Operation {
    Operation(
      method: "GET", id: "streamEvents", summary: "The session's States as server-sent events",
      detail: "The current State at once, then every new one. The stream does not end by itself.",
      parameters: [
        .reactor, .session, .select, .delta, .replay, .activity, .lastEventID, .lastEventIDQuery,
      ],
      answers: [
        .init(
          status: 200, description: "The stream", content: .stream("text/event-stream")),
        .init(status: 204, description: "The session has ended: an EventSource stops"),
      ],
      problems: [
        .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession, .invalidPointer,
        .notAcceptable,
      ])
  }

  private var streamMany: Operation {
    Operation(
      method: "GET", id: "streamManyEvents", summary: "Several sessions over one stream",
      detail: """
        A State's event has the name `{reactor}/{session}`; every other event has the data \
        `{"session":…,"data":…}`. The `id` holds the cursors of all sessions.
        """,
      parameters: [
        .sessions, .select, .delta, .replay, .activity, .lastEventID, .lastEventIDQuery,
      ],
      answers: [
        .init(
          status: 200, description: "The stream", content: .stream("text/event-stream")),
        .init(status: 204, description: "All sessions have ended: an EventSource stops"),
      ],
      problems: [
        .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession, .invalidPointer,
        .notAcceptable,
      ])
  }

  private var readLog: Operation {
    Operation(
      method: "GET", id: "readLog", summary: "The session's log, in pages",
      parameters: [.reactor, .session, .afterVersion, .limit],
      answers: [
        .init(
          status: 200, description: "Entries in the order of their versions", headers: [.link],
          content: .either(
            ["type": "array", "items": Self.reference("LogEntry")], orText: "application/x-ndjson"))
      ],
      problems: [
        .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession, .sessionEnded,
        .notAcceptable,
      ])
  }
}

// MARK: - Effects

extension Address {
  private var listEffects: Operation {
    Operation(
      method: "GET", id: "listEffects", summary: "The session's effects that run, in pages",
      parameters: [.reactor, .session, .limit, .afterEffect],
      answers: [
        .init(
          status: 200, description: "A page of effects, the earliest first", headers: [.link],
          content: .json(Self.reference("EffectList")))
      ],
      problems: [
        .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession, .sessionEnded,
        .notAcceptable,
      ])
  }

  private var cancelEffect: Operation {
    Operation(
      method: "DELETE", id: "cancelEffect", summary: "Cancel an effect that runs",
      detail: """
        What is committed of it stays. Its action counts as done: whoever waits for it is answered, \
        and it is not run again.
        """,
      parameters: [.reactor, .session, .effect],
      answers: [.init(status: 204, description: "It does not run, or never did")],
      problems: [
        .invalidSessionID, .unknownReactor, .unknownSession, .sessionEnded, .storageFull,
      ])
  }
}

// MARK: - Globals

extension Address {
  private func readGlobal(_ schemas: Schemas) -> Operation {
    Operation(
      method: "GET", id: "readGlobal", summary: "The value of a global",
      parameters: [.global, .ifNoneMatch],
      answers: [
        .init(
          status: 200, description: "The value", headers: [.etag], content: .json(schemas.global)),
        .init(status: 304, description: "The client has this value already", headers: [.etag]),
      ],
      problems: [.invalidParameter, .unknownGlobal, .notAcceptable])
  }

  private var streamGlobal: Operation {
    Operation(
      method: "GET", id: "streamGlobalEvents", summary: "A global's values as server-sent events",
      parameters: [.global, .select, .delta, .replay, .activity, .lastEventID, .lastEventIDQuery],
      answers: [
        .init(status: 200, description: "The stream", content: .stream("text/event-stream"))
      ],
      problems: [.invalidParameter, .unknownGlobal, .invalidPointer, .notAcceptable])
  }

  private func setGlobal(_ schemas: Schemas) -> Operation {
    Operation(
      method: "PUT", id: "setGlobal", summary: "Set a global for all sessions",
      parameters: [.global], body: schemas.global,
      answers: [
        .init(
          status: 200, description: "The value that is set now", headers: [.etag],
          content: .json(schemas.global))
      ],
      problems: [
        .malformedJSON, .unknownGlobal, .unsupportedMediaType, .invalidBody, .notAcceptable,
        .bodyTooLarge, .storageFull,
      ])
  }
}

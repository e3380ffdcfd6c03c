/// An address of the service, whatever names stand in it: the one table of what there is.
enum Address: Int, CaseIterable {
  case page
  case pageFile
  case inspectorFile
  case examples
  case exampleFile
  case health
  case readiness
  case metrics
  case openAPI
  case problem
  case catalogue
  case reactor
  case types
  case sessions
  case session
  case state
  case actions
  case events
  case log
  case effects
  case effect
  case manyEvents
  case globals
  case global
  case globalEvents

  /// The path template (RFC 6570), as `/openapi.json` and `/metrics` name it.
  var template: String {
    switch self {
    case .page: "/"
    case .pageFile: "/{file}"
    case .inspectorFile: "/inspector/{inspectorFile}"
    case .examples: "/examples/"
    case .exampleFile: "/examples/{exampleFile}"
    case .health: "/healthz"
    case .readiness: "/readyz"
    case .metrics: "/metrics"
    case .openAPI: "/openapi.json"
    case .problem: "/problems/{problem}"
    case .catalogue: "/v1/reactors"
    case .reactor: "/v1/reactors/{reactor}"
    case .types: "/v1/reactors/{reactor}/types.ts"
    case .sessions: "/v1/reactors/{reactor}/sessions"
    case .session: "/v1/reactors/{reactor}/sessions/{session}"
    case .state: "/v1/reactors/{reactor}/sessions/{session}/state"
    case .actions: "/v1/reactors/{reactor}/sessions/{session}/actions"
    case .events: "/v1/reactors/{reactor}/sessions/{session}/events"
    case .log: "/v1/reactors/{reactor}/sessions/{session}/log"
    case .effects: "/v1/reactors/{reactor}/sessions/{session}/effects"
    case .effect: "/v1/reactors/{reactor}/sessions/{session}/effects/{effect}"
    case .manyEvents: "/v1/events"
    case .globals: "/v1/globals"
    case .global: "/v1/globals/{global}"
    case .globalEvents: "/v1/globals/{global}/events"
    }
  }

  /// The methods that the address has, beside `OPTIONS`; `HEAD` goes wherever `GET` does.
  var methods: [String] {
    switch self {
    case .sessions: ["GET", "HEAD", "POST"]
    case .session: ["GET", "HEAD", "PUT", "DELETE"]
    case .actions: ["POST"]
    case .effect: ["DELETE"]
    case .global: ["GET", "HEAD", "PUT"]
    default: ["GET", "HEAD"]
    }
  }

  /// Whether it answers with server-sent events.
  var isStream: Bool {
    switch self {
    case .events, .manyEvents, .globalEvents: true
    default: false
    }
  }

  /// Every method that some address has.
  static let everyMethod = "GET, HEAD, POST, PUT, DELETE, OPTIONS"

  /// The value of `Allow`.
  var allowed: String {
    (methods + ["OPTIONS"]).joined(separator: ", ")
  }
}

extension Route {
  /// The address that the route is one of.
  var address: Address {
    switch self {
    case .page: .page
    case .pageFile(let file):
      switch file.folder {
      case "inspector": .inspectorFile
      case "examples": .exampleFile
      default: .pageFile
      }
    case .examples: .examples
    case .health: .health
    case .readiness: .readiness
    case .metrics: .metrics
    case .openAPI: .openAPI
    case .problem: .problem
    case .catalogue: .catalogue
    case .reactor: .reactor
    case .types: .types
    case .sessions: .sessions
    case .session: .session
    case .state: .state
    case .actions: .actions
    case .events: .events
    case .log: .log
    case .effects: .effects
    case .effect: .effect
    case .manyEvents: .manyEvents
    case .globals: .globals
    case .global: .global
    case .globalEvents: .globalEvents
    }
  }
}

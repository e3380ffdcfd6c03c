/// What an address means.
enum Route: Equatable {
  case page
  case pageFile(PageFile)
  case examples
  case types(reactor: String)
  case health
  case readiness
  case metrics
  case openAPI
  case problem(String)
  case catalogue
  case reactor(String)
  case sessions(reactor: String)
  case session(reactor: String, id: String)
  case state(reactor: String, id: String)
  case actions(reactor: String, id: String)
  case events(reactor: String, id: String)
  case log(reactor: String, id: String)
  case effects(reactor: String, id: String)
  case effect(reactor: String, id: String, effect: String)
  case manyEvents
  case globals
  case global(String)
  case globalEvents(String)

  /// Reads a path as it was sent; `nil` where nothing is there.
  init?(path: String) {
    var path = path
    guard let route = path.withUTF8({ Self.read(PathPart.List($0)) }) else { return nil }
    self = route
  }

  private static func read(_ parts: borrowing PathPart.List) -> Route? {
    switch (parts.count, parts[0]) {
    case (2...7, "v1"): return versioned(parts)
    case (1, ""): return .page
    case (1, "healthz"): return .health
    case (1, "readyz"): return .readiness
    case (1, "metrics"): return .metrics
    case (1, "openapi.json"): return .openAPI
    case (1, let name): return name.text.flatMap(PageFile.init).map { .pageFile($0) }
    case (2, "problems"): return parts[1].text.map { .problem($0) }
    case (2, "examples"):
      return parts[1].text.flatMap { $0.isEmpty ? .examples : file("examples", $0) }
    case (2, "inspector"): return parts[1].text.flatMap { file("inspector", $0) }
    default: return nil
    }
  }

  private static func file(_ folder: String, _ name: String) -> Route? {
    PageFile(rawValue: "\(folder)/\(name)").map { .pageFile($0) }
  }

  private static func versioned(_ parts: borrowing PathPart.List) -> Route? {
    switch (parts.count, parts[1]) {
    case (2, "reactors"): return .catalogue
    case (3...7, "reactors"):
      guard let reactor = parts[2].text else { return nil }
      return hosted(reactor, parts)
    case (2, "events"): return .manyEvents
    case (2, "globals"): return .globals
    case (3, "globals"): return parts[2].text.map { .global($0) }
    case (4, "globals"):
      guard case "events" = parts[3] else { return nil }
      return parts[2].text.map { .globalEvents($0) }
    default: return nil
    }
  }

  private static func hosted(_ reactor: String, _ parts: borrowing PathPart.List) -> Route? {
    switch (parts.count, parts[3]) {
    case (3, _): return .reactor(reactor)
    case (4, "types.ts"): return .types(reactor: reactor)
    case (4, "sessions"): return .sessions(reactor: reactor)
    // What cannot be decoded is no session's id either, and is told so.
    case (_, "sessions"): return session(of: reactor, parts[4].text ?? "", parts)
    default: return nil
    }
  }

  private static func session(
    of reactor: String, _ id: String, _ parts: borrowing PathPart.List
  ) -> Route? {
    switch (parts.count, parts[5]) {
    case (5, _): return .session(reactor: reactor, id: id)
    case (6, "state"): return .state(reactor: reactor, id: id)
    case (6, "actions"): return .actions(reactor: reactor, id: id)
    case (6, "events"): return .events(reactor: reactor, id: id)
    case (6, "effects"): return .effects(reactor: reactor, id: id)
    case (6, "log"): return .log(reactor: reactor, id: id)
    case (7, "effects"):
      guard let effect = parts[6].text, !effect.isEmpty else { return nil }
      return .effect(reactor: reactor, id: id, effect: effect)
    default: return nil
    }
  }

  /// Whether a stream is here.
  var isStream: Bool {
    switch self {
    case .events, .manyEvents, .globalEvents: true
    default: false
    }
  }
}

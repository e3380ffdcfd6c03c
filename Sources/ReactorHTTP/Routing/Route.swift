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
    let route = path.withUTF8 { bytes in PathPart.List(bytes).flatMap(Self.read) }
    guard let route else { return nil }
    self = route
  }

  private static func read(_ parts: PathPart.List) -> Route? {
    switch (parts[0], parts.count) {
    case ("v1", 2...7): return versioned(parts)
    case ("", 1): return .page
    case ("healthz", 1): return .health
    case ("readyz", 1): return .readiness
    case ("metrics", 1): return .metrics
    case ("openapi.json", 1): return .openAPI
    case (let name, 1): return name.text.flatMap(PageFile.init).map { .pageFile($0) }
    case ("problems", 2): return parts[1].text.map { .problem($0) }
    case ("examples", 2):
      return parts[1].text.flatMap { $0.isEmpty ? .examples : file("examples", $0) }
    case ("inspector", 2): return parts[1].text.flatMap { file("inspector", $0) }
    default: return nil
    }
  }

  private static func file(_ folder: String, _ name: String) -> Route? {
    PageFile(rawValue: "\(folder)/\(name)").map { .pageFile($0) }
  }

  private static func versioned(_ parts: PathPart.List) -> Route? {
    switch (parts[1], parts.count) {
    case ("reactors", 2): return .catalogue
    case ("reactors", 3...7): return parts[2].text.flatMap { hosted($0, parts) }
    case ("events", 2): return .manyEvents
    case ("globals", 2): return .globals
    case ("globals", 3): return parts[2].text.map { .global($0) }
    case ("globals", 4):
      guard case "events" = parts[3] else { return nil }
      return parts[2].text.map { .globalEvents($0) }
    default: return nil
    }
  }

  private static func hosted(_ reactor: String, _ parts: PathPart.List) -> Route? {
    switch (parts[3], parts.count) {
    case (_, 3): return .reactor(reactor)
    case ("types.ts", 4): return .types(reactor: reactor)
    case ("sessions", 4): return .sessions(reactor: reactor)
    // What cannot be decoded is no session's id either, and is told so.
    case ("sessions", _): return session(of: reactor, parts[4].text ?? "", parts)
    default: return nil
    }
  }

  private static func session(
    of reactor: String, _ id: String, _ parts: PathPart.List
  ) -> Route? {
    switch (parts[5], parts.count) {
    case (_, 5): return .session(reactor: reactor, id: id)
    case ("state", 6): return .state(reactor: reactor, id: id)
    case ("actions", 6): return .actions(reactor: reactor, id: id)
    case ("events", 6): return .events(reactor: reactor, id: id)
    case ("effects", 6): return .effects(reactor: reactor, id: id)
    case ("log", 6): return .log(reactor: reactor, id: id)
    case ("effects", 7):
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

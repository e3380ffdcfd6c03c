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
    guard let parts = Self.parts(of: path) else { return nil }
    switch parts.count {
    case 1:
      switch parts[0] {
      case "": self = .page
      case "healthz": self = .health
      case "readyz": self = .readiness
      case "metrics": self = .metrics
      case "openapi.json": self = .openAPI
      case let name:
        guard let file = name.flatMap(PageFile.init) else { return nil }
        self = .pageFile(file)
      }
    case 2...7:
      guard let route = Self.longer(parts) else { return nil }
      self = route
    default: return nil
    }
  }

  /// What stands between the slashes, decoded; `nil` where there is no slash first.
  ///
  /// A part that cannot be decoded is `nil`. No address has more than seven parts, so what has more is
  /// not taken apart.
  private static func parts(of path: String) -> [String?]? {
    var path = path
    return path.withUTF8 { bytes in
      guard bytes.first == UInt8(ascii: "/") else { return nil }
      var parts: [String?] = []
      parts.reserveCapacity(7)
      var rest = bytes.dropFirst()
      while parts.count < 8 {
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        parts.append(PercentEncoding.decode(rest[..<end]))
        guard end < rest.endIndex else { break }
        rest = rest[(end + 1)...]
      }
      return parts
    }
  }

  private static func longer(_ parts: [String?]) -> Route? {
    switch (parts[0], parts[1], parts.count) {
    case ("problems", let kind?, 2): return .problem(kind)
    case ("examples", "", 2): return .examples
    case ("examples", let name?, 2), ("inspector", let name?, 2):
      return PageFile(rawValue: "\(parts[0] ?? "")/\(name)").map { .pageFile($0) }
    case ("v1", "events", 2): return .manyEvents
    case ("v1", "globals", 2): return .globals
    case ("v1", "globals", 3): return parts[2].map { .global($0) }
    case ("v1", "globals", 4):
      return parts[3] == "events" ? parts[2].map { .globalEvents($0) } : nil
    case ("v1", "reactors", 2): return .catalogue
    case ("v1", "reactors", 3...7):
      guard let reactor = parts[2] else { return nil }
      if parts.count == 3 { return .reactor(reactor) }
      if parts.count == 4, parts[3] == "types.ts" { return .types(reactor: reactor) }
      guard parts[3] == "sessions" else { return nil }
      if parts.count == 4 { return .sessions(reactor: reactor) }
      // What cannot be decoded is no session's id either, and is told so.
      let id = parts[4] ?? ""
      if parts.count == 5 { return .session(reactor: reactor, id: id) }
      if parts.count == 7 {
        guard parts[5] == "effects", let effect = parts[6], !effect.isEmpty else { return nil }
        return .effect(reactor: reactor, id: id, effect: effect)
      }
      switch parts[5] {
      case "state": return .state(reactor: reactor, id: id)
      case "actions": return .actions(reactor: reactor, id: id)
      case "events": return .events(reactor: reactor, id: id)
      case "effects": return .effects(reactor: reactor, id: id)
      case "log": return .log(reactor: reactor, id: id)
      default: return nil
      }
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

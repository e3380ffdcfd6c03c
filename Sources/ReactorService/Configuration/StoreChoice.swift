/// Where the logs of the sessions are kept.
public enum StoreChoice: Sendable, Equatable {
  /// In the memory of the process: gone when it ends.
  case memory

  /// In the SQLite database that is the file at this path.
  case sqlite(path: String)

  /// In NATS JetStream behind this URL.
  case nats(url: String)

  /// Reads `memory`, `sqlite:PATH` or `nats:URL`; `nil` for anything else.
  ///
  /// The URL may be `nats:nats://host:4222` or, as its scheme says it already,
  /// `nats://host:4222`.
  public init?(_ text: String) {
    if text == "memory" {
      self = .memory
      return
    }
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let place = text[text.index(after: colon)...]
    guard !place.isEmpty, !place.utf8.contains(0) else { return nil }
    switch text[..<colon] {
    case "sqlite": self = .sqlite(path: String(place))
    case "nats": self = .nats(url: place.hasPrefix("//") ? text : String(place))
    default: return nil
    }
  }

  /// Whether this build can open the store.
  public var isAvailable: Bool {
    switch self {
    case .memory, .sqlite: true
    case .nats: false
    }
  }
}

extension StoreChoice: CustomStringConvertible {
  /// The form that `init(_:)` reads.
  public var description: String {
    switch self {
    case .memory: "memory"
    case .sqlite(let path): "sqlite:\(path)"
    case .nats(let url): "nats:\(url)"
    }
  }
}

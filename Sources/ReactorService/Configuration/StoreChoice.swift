/// Where session logs are stored.
public enum StoreChoice: Sendable, Equatable {
  /// In memory: lost when the process ends.
  case memory

  /// In the SQLite database at this path.
  case sqlite(path: String)

  /// Reads `memory` or `sqlite:PATH`; `nil` for anything else.
  public init?(_ text: String) {
    if text == "memory" {
      self = .memory
      return
    }
    let scheme = "sqlite:"
    let path = text.dropFirst(scheme.count)
    guard text.hasPrefix(scheme), !path.isEmpty, !path.utf8.contains(0) else { return nil }
    self = .sqlite(path: String(path))
  }
}

extension StoreChoice: CustomStringConvertible {
  /// The form that `init(_:)` reads.
  public var description: String {
    switch self {
    case .memory: "memory"
    case .sqlite(let path): "sqlite:\(path)"
    }
  }
}

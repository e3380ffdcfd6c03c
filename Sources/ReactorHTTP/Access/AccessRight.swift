/// The right that an endpoint needs; each right includes the ones before it.
enum AccessRight: Int, Comparable, Sendable {
  /// No token: pages, problem types and probes.
  case none
  /// Read states, logs, lists and streams.
  case read
  /// Run actions.
  case act
  /// Create, fork and end sessions, cancel effects.
  case manage
  /// Set globals.
  case admin

  static func < (left: AccessRight, right: AccessRight) -> Bool { left.rawValue < right.rawValue }

  /// The word of the token file that grants the right, which responses name as the `scope`.
  var scope: String {
    switch self {
    case .none, .read: "read"
    case .act, .manage: "write"
    case .admin: "admin"
    }
  }

  /// Parses a word of the token file.
  init?(scope: String) {
    switch scope {
    case "read": self = .read
    case "write": self = .manage
    case "admin": self = .admin
    default: return nil
    }
  }
}

/// The reactors whose data an endpoint exposes, for tokens that are limited to some reactors.
enum AccessReach: Sendable {
  /// None: what is there does not belong to a reactor.
  case noReactor
  /// The reactor in the path.
  case reactorInPath
  /// The reactors of the sessions in the query.
  case sessionsInQuery
  /// All of them: a limited token does not suffice.
  case allReactors
}

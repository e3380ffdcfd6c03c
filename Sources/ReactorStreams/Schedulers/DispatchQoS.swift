/// The urgency of scheduled work, under the names that an iOS file uses.
public enum DispatchQoS: Sendable {
  /// Work that nobody waits for.
  case background

  /// Work whose progress somebody may watch.
  case utility

  /// Work without a class of its own.
  case `default`

  /// Work that somebody waits for.
  case userInitiated

  /// Work that must be done at once.
  case userInteractive

  var priority: TaskPriority {
    switch self {
    case .background: .background
    case .utility: .utility
    case .default: .medium
    case .userInitiated, .userInteractive: .high
    }
  }
}

/// An error of a log.
///
/// A write that fails has changed nothing, except for ``unknown``.
public enum LogError: Error, Equatable, Sendable {
  /// Another writer was first: the session is at another version or epoch than the writer expects.
  ///
  /// The value is the other writer, if the log identifies it.
  case lost(to: NodeID?)

  /// No space is left.
  case full

  /// The store cannot be reached.
  case unavailable(String)

  /// The client has its share of what the store does at a time for all clients; it can try again.
  case beyondShare(of: Int, bound: String)

  /// The store did not confirm the write in time. It has written all changes or none; the next load
  /// of the session shows which.
  case unknown

  /// The batch, or the State after it, is larger than the store accepts.
  case tooLarge

  /// The stored data is damaged.
  case corrupt(String)

  /// This release of the reactor cannot decode the mutation or the snapshot of a version.
  case unreadable(version: Int, reason: String)
}

extension LogError {
  /// Another writer was first, and the log does not identify it.
  public static var conflict: LogError { .lost(to: nil) }
}

extension LogError: CustomStringConvertible {
  /// The case and its values, for log lines.
  public var description: String {
    switch self {
    case .lost(to: nil): "conflict"
    case .lost(let winner?): "conflict with \(winner)"
    case .full: "full"
    case .unavailable(let reason): "unavailable(\"\(reason)\")"
    case .beyondShare(let limit, let bound): "beyondShare(of: \(limit), bound: \"\(bound)\")"
    case .unknown: "unknown"
    case .tooLarge: "tooLarge"
    case .corrupt(let reason): "corrupt(\"\(reason)\")"
    case .unreadable(let version, let reason):
      "unreadable(version: \(version), reason: \"\(reason)\")"
    }
  }
}

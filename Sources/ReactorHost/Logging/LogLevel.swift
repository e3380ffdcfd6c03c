/// How much a log line matters.
///
/// The raw value is the word that stands in the configuration and in the log itself.
public enum LogLevel: String, CaseIterable, Sendable {
  /// Every step; only for finding a fault.
  case trace

  /// What a developer of a reactor wants to see.
  case debug

  /// What an operator wants to see: starts, stops, changes.
  case info

  /// Something is wrong, and the service goes on as if it were not.
  case warning

  /// Something failed that was asked for.
  case error
}

extension LogLevel: Comparable {
  /// Whether `left` matters less than `right`.
  public static func < (left: LogLevel, right: LogLevel) -> Bool {
    left.severity < right.severity
  }

  private var severity: Int {
    switch self {
    case .trace: 0
    case .debug: 1
    case .info: 2
    case .warning: 3
    case .error: 4
    }
  }
}

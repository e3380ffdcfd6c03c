/// The severity of a log line.
///
/// The raw value is used in the configuration and in the log.
public enum LogLevel: String, CaseIterable, Sendable {
  /// Every step, to find a fault.
  case trace

  /// Details for developers of reactors.
  case debug

  /// Events for operators: starts, stops, changes.
  case info

  /// A fault that does not affect requests.
  case warning

  /// A failed operation.
  case error
}

extension LogLevel: Comparable {
  /// Returns whether `left` is less severe than `right`.
  public static func < (left: LogLevel, right: LogLevel) -> Bool {
    left.severity < right.severity
  }

  /// The position in `allCases`.
  var severity: Int {
    switch self {
    case .trace: 0
    case .debug: 1
    case .info: 2
    case .warning: 3
    case .error: 4
    }
  }
}

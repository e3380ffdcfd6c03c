public import ReactorStreams

extension Event: Equatable where Element: Equatable {
  /// Compares two events.
  ///
  /// Failures are equal where their types say so, and, for types that say nothing, where they are
  /// described alike.
  public static func == (lhs: Event, rhs: Event) -> Bool {
    switch (lhs, rhs) {
    case (.next(let lhs), .next(let rhs)): lhs == rhs
    case (.error(let lhs), .error(let rhs)): isSame(lhs, rhs)
    case (.completed, .completed): true
    default: false
    }
  }
}

/// Whether two failures are equal where their types say so, and otherwise described alike.
func isSame(_ lhs: any Error, _ rhs: any Error) -> Bool {
  if let lhs = lhs as? any Equatable { return isEqual(lhs, rhs) }
  return type(of: lhs) == type(of: rhs) && String(reflecting: lhs) == String(reflecting: rhs)
}

private func isEqual<Value: Equatable>(_ lhs: Value, _ rhs: any Error) -> Bool {
  (rhs as? Value).map { lhs == $0 } ?? false
}

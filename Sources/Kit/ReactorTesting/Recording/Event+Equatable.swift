public import ReactorRx
public import ReactorStreams

extension Event: Equatable where Element: Equatable {
  /// Compares two events.
  ///
  /// Errors are compared by their type's `==` or, without one, by their descriptions.
  public static func == (lhs: Event, rhs: Event) -> Bool {
    switch (lhs, rhs) {
    case (.next(let lhs), .next(let rhs)): lhs == rhs
    case (.error(let lhs), .error(let rhs)): isSame(lhs, rhs)
    case (.completed, .completed): true
    default: false
    }
  }
}

extension MaybeEvent: Equatable where Element: Equatable {
  /// Compares two results; see the comparison of events.
  public static func == (lhs: MaybeEvent, rhs: MaybeEvent) -> Bool {
    switch (lhs, rhs) {
    case (.success(let lhs), .success(let rhs)): lhs == rhs
    case (.error(let lhs), .error(let rhs)): isSame(lhs, rhs)
    case (.completed, .completed): true
    default: false
    }
  }
}

extension CompletableEvent: Equatable {
  /// Compares two results; see the comparison of events.
  public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
    switch (lhs, rhs) {
    case (.error(let lhs), .error(let rhs)): isSame(lhs, rhs)
    case (.completed, .completed): true
    default: false
    }
  }
}

/// Compares two errors by their type's `==` or, without one, by their descriptions.
func isSame(_ lhs: any Error, _ rhs: any Error) -> Bool {
  // Cast from `Any`: with Foundation, the compiler assumes that every error bridges to an equatable
  // object.
  let value: Any = lhs
  if let lhs = value as? any Equatable { return isEqual(lhs, rhs) }
  return type(of: lhs) == type(of: rhs) && String(reflecting: lhs) == String(reflecting: rhs)
}

private func isEqual<Value: Equatable>(_ lhs: Value, _ rhs: any Error) -> Bool {
  (rhs as? Value).map { lhs == $0 } ?? false
}

/// The ticks at which a subscription started and ended.
public struct Subscription: Hashable, Sendable, CustomStringConvertible {
  /// The tick at which the subscription started.
  public let subscribe: TestTime

  /// The tick at which the subscription ended; `Int.max` while it is active.
  public let unsubscribe: TestTime

  /// Creates a record.
  ///
  /// Without an end, the subscription is active.
  public init(_ subscribe: TestTime, _ unsubscribe: TestTime = .max) {
    self.subscribe = subscribe
    self.unsubscribe = unsubscribe
  }

  /// Both ticks: `200-1000`.
  public var description: String {
    "\(subscribe)-\(unsubscribe == .max ? "" : String(unsubscribe))"
  }
}

/// The ticks at which a subscription started and ended.
public struct Subscription: Hashable, Sendable, CustomStringConvertible {
  /// The tick at which it started.
  public let subscribe: TestTime

  /// The tick at which it ended; `Int.max` before that.
  public let unsubscribe: TestTime

  /// Creates a record; without an end, the subscription is active.
  public init(_ subscribe: TestTime, _ unsubscribe: TestTime = .max) {
    self.subscribe = subscribe
    self.unsubscribe = unsubscribe
  }

  /// Both ticks: `200-1000`.
  public var description: String {
    "\(subscribe)-\(unsubscribe == .max ? "" : String(unsubscribe))"
  }
}

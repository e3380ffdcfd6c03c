/// When somebody subscribed to a stream, and when that ended.
public struct Subscription: Hashable, Sendable, CustomStringConvertible {
  /// The tick of the subscription.
  public let subscribe: TestTime

  /// The tick at which it ended; `Int.max` while it lasts.
  public let unsubscribe: TestTime

  /// Makes a record; one without an end still lasts.
  public init(_ subscribe: TestTime, _ unsubscribe: TestTime = .max) {
    self.subscribe = subscribe
    self.unsubscribe = unsubscribe
  }

  /// Both ticks: `200-1000`.
  public var description: String {
    "\(subscribe)-\(unsubscribe == .max ? "" : String(unsubscribe))"
  }
}

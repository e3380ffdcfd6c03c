/// Decides when a process requests that the leader of a stream steps down, because it stays behind what the
/// log names.
///
/// With nats-server 2.9.10 a replica that has lost messages can become the leader for good. A new leader that
/// has not applied all messages yet is behind as well, but only for a moment.
///
/// Pure: times come from the caller, in milliseconds.
struct LeaderDemotions: Sendable {
  /// How long one read or append finds the leader behind before the request.
  static let patience: Int64 = 2_000
  /// The minimum time between two requests for the same stream.
  static let interval: Int64 = 5_000

  /// The time of the last request, by the names of the streams: as many as the store has.
  private var lastRequests: [String: Int64] = [:]

  /// A read or an append finds the leader behind.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - start: When the same read or append has found it behind first.
  ///   - now: The time.
  /// - Returns: Whether to send the request now.
  mutating func shouldRequest(_ stream: String, behindSince start: Int64, at now: Int64) -> Bool {
    guard now - start >= Self.patience else { return false }
    if let last = lastRequests[stream], now - last < Self.interval { return false }
    lastRequests[stream] = now
    return true
  }
}

/// Decides when a process requests that the leader of a stream steps down, because it lacks
/// messages that the log names.
///
/// With nats-server 2.9.10 a replica that has lost messages can become the leader permanently. A
/// new leader that has not applied all messages yet lacks messages as well, but only for a moment.
///
/// Pure: times come from the caller, in milliseconds.
struct LeaderDemotions: Sendable {
  /// The time for which a read or an append must find the leader behind before the request is sent.
  static let patience: Int64 = 2_000
  /// The minimum time between two requests for the same stream.
  static let interval: Int64 = 5_000
  /// The longest pause between two requests because of a damaged session.
  static let longestPause: Int64 = 640_000

  /// The time of the last request per stream; bounded by the number of streams of the store.
  private var lastRequests: [String: Int64] = [:]
  /// The streams whose leaders did not have a message that the log names: the time at which that
  /// was first found, and the pause before the next request.
  private var differences: [String: (start: Int64, pause: Int64)] = [:]

  /// A read or an append finds the leader behind.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - start: The time at which the same read or append first found it behind.
  ///   - now: The time.
  /// - Returns: Whether to send the request now.
  mutating func shouldRequest(_ stream: String, behindSince start: Int64, at now: Int64) -> Bool {
    guard now - start >= Self.patience else { return false }
    if let last = lastRequests[stream], now - last < Self.interval { return false }
    lastRequests[stream] = now
    return true
  }

  /// A read finds another message than the log names, or no message, although the leader has
  /// reached its sequence.
  ///
  /// Another replica can have the message. If none has it, a change of the leader does not help:
  /// the pauses double, so that one damaged session does not cause frequent changes of the leader.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - now: The time.
  /// - Returns: Whether to send the request now.
  mutating func shouldRequest(differing stream: String, at now: Int64) -> Bool {
    var difference = differences[stream] ?? (start: now, pause: Self.interval)
    defer { differences[stream] = difference }
    if let last = lastRequests[stream], now - last < difference.pause { return false }
    guard shouldRequest(stream, behindSince: difference.start, at: now) else { return false }
    difference.pause *= difference.pause < Self.longestPause ? 2 : 1
    return true
  }
}

/// The attempts to keep a stream open: the number and the parser of the latest attempt, the timeout
/// that ends it, and the pauses between attempts.
///
/// The part that ``EventFeed`` and ``StreamMachine`` have in common.
struct StreamAttempts: Sendable {
  /// The number of the latest attempt; 0 before the first.
  private(set) var number = 0

  private var parser = EventParser()
  private var schedule = RetrySchedule(first: .seconds(1))
  /// The time without a byte after which a stream is dead: three heartbeats.
  private var patience = Duration.seconds(45)
  private var lastByteAt = Duration.zero
  /// The id of the open stream, or `nil` if its credential cannot be replaced.
  private var streamID: String?

  /// When the stream is considered dead unless a byte arrives before.
  var silentAt: Duration { lastByteAt + patience }

  /// Whether no attempt has failed since the last success.
  var isFirst: Bool { schedule.failures == 0 }

  /// Begins the next attempt.
  mutating func begin(now: Duration) {
    number += 1
    parser = EventParser()
    lastByteAt = now
    streamID = nil
  }

  /// Reads the head of a successful response.
  ///
  /// - Returns: A problem if the response is not an event stream; otherwise `nil`.
  mutating func opened(_ head: TransportHead, now: Duration) -> Problem? {
    lastByteAt = now
    guard head["content-type"]?.hasPrefix("text/event-stream") == true else {
      return .noEventStream
    }
    if let interval = head["heartbeat-interval"].flatMap({ Int($0) }), interval > 0 {
      patience = .seconds(max(min(interval, 3600) * 3, 15))
    }
    streamID = head["stream-id"]
    return nil
  }

  /// The request that replaces the credential of the open stream, or `nil` if the server has no such request.
  var replacement: TransportRequest? {
    streamID.map { TransportRequest("POST", "v1/streams/\($0.percentEncoded)/credential") }
  }

  /// Parses bytes of the body.
  mutating func items(
    _ bytes: ArraySlice<UInt8>, now: Duration
  ) throws(EventParser.TooLarge) -> [EventParser.Item] {
    lastByteAt = now
    return try parser.items(bytes)
  }

  /// Returns the problem of a stream that is considered dead; otherwise `nil`.
  func silence(now: Duration) -> Problem? {
    now >= silentAt ? .silent(patience) : nil
  }

  /// Sets the first pause between attempts, which the server announced (`retry:`).
  mutating func setFirstPause(milliseconds: Int) {
    schedule.first = .milliseconds(min(max(milliseconds, 1), 60_000))
  }

  /// Records a success: the next pause is short again.
  mutating func succeed() {
    schedule.reset()
  }

  /// Records a failure and returns the pause before the next attempt.
  mutating func fail(_ problem: Problem, random: Double) -> Duration {
    schedule.fail(retryAfter: problem.retryAfter, random: random)
  }

  /// Records a rejected or expired token and returns the pause before the attempt with a new token:
  /// zero, unless the last attempt failed as well.
  mutating func failWithToken(random: Double) -> Duration {
    let isFirst = isFirst
    let pause = schedule.fail(random: random)
    return isFirst ? .zero : pause
  }
}

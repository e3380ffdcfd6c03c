/// The attempts to keep a stream open: the number and the parser of the latest one, the silence that ends
/// it, and the pauses between two.
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

  /// When the stream is dead unless a byte arrives.
  var silentAt: Duration { lastByteAt + patience }

  /// Whether no attempt has failed since the last success.
  var isFirst: Bool { schedule.failures == 0 }

  /// Begins the next attempt.
  mutating func begin(now: Duration) {
    number += 1
    parser = EventParser()
    lastByteAt = now
  }

  /// Reads the head of a successful response.
  ///
  /// - Returns: The problem of a response that is no stream of events; `nil` for none.
  mutating func opened(_ head: TransportHead, now: Duration) -> Problem? {
    lastByteAt = now
    guard head["content-type"]?.hasPrefix("text/event-stream") == true else {
      return .noEventStream
    }
    if let interval = head["heartbeat-interval"].flatMap({ Int($0) }), interval > 0 {
      patience = .seconds(max(min(interval, 3600) * 3, 15))
    }
    return nil
  }

  /// Parses bytes of the body.
  mutating func items(
    _ bytes: ArraySlice<UInt8>, now: Duration
  ) throws(EventParser.TooLarge) -> [EventParser.Item] {
    lastByteAt = now
    return try parser.items(bytes)
  }

  /// The problem of a stream without a byte for too long; `nil` for none.
  func silence(now: Duration) -> Problem? {
    now >= silentAt ? .silent(patience) : nil
  }

  /// The server announced the first pause between attempts.
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

  /// Records a rejected or expired token and returns the pause before the attempt with another one: none,
  /// unless the last one did not last either.
  mutating func failWithToken(random: Double) -> Duration {
    let isFirst = isFirst
    let pause = schedule.fail(random: random)
    return isFirst ? .zero : pause
  }
}

/// The pauses between attempts: exponential with jitter, so that clients do not reconnect at the
/// same time.
package struct RetrySchedule: Sendable {
  private static let longest = Duration.seconds(20)

  /// The first pause, before jitter; the server can announce another one (`retry:`).
  package var first: Duration

  /// The number of attempts that failed since the last success.
  package private(set) var failures = 0

  /// Creates a schedule.
  package init(first: Duration = .milliseconds(500)) {
    self.first = first
  }

  /// Records a success: the next pause is short again.
  package mutating func reset() {
    failures = 0
  }

  /// Records a failure and returns the pause before the next attempt.
  ///
  /// - Parameters:
  ///   - retryAfter: The shortest pause that the server requests (`Retry-After`); at most a tenth is
  ///     added to it.
  ///   - random: From 0 to 1.
  /// - Returns: The pause.
  package mutating func fail(retryAfter: Duration? = nil, random: Double) -> Duration {
    let longest = max(Self.longest, first)
    let pause = min(first * Double(1 << min(failures, 10)), longest) * (0.5 + random / 2)
    failures += 1
    guard let retryAfter, retryAfter >= pause else { return pause }
    return retryAfter * (1 + random / 10)
  }
}

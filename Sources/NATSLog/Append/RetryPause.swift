/// The pauses before a message is sent again because the stream had no leader, in milliseconds: 20,
/// 40, 80, 160, and then 250.
///
/// The first pauses are short because a broker that is stopped hands its streams over within 0.1 s.
/// They grow because the election after a kill takes seconds.
struct RetryPause: Sendable {
  /// The longest pause, and the time after which a message without any reply is sent again.
  static let longest: Int64 = 250

  private var next: Int64 = 20

  /// Returns the next pause.
  mutating func take() -> Int64 {
    defer { next = min(2 * next, Self.longest) }
    return next
  }
}

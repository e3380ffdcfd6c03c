/// An estimate of the time from a request to its reply, and the pause that follows from it.
///
/// The estimate moves towards each measured time by a constant factor, and so approximates the
/// median: a few requests with long effects do not change it, in contrast to a mean.
struct Turnaround {
  /// The range of the pauses.
  ///
  /// A pause is the same fraction of the time of a reply for fast and for slow processes, so that
  /// nodes with little processor time or slow brokers share messages as well.
  static let pauses = Duration.milliseconds(1)...Duration.milliseconds(25)

  /// The divisor of the time of a reply: a message waits for at most a quarter of it.
  private static let part = 4

  /// The estimate of the time of a reply.
  private var median = Self.pauses.lowerBound * Self.part

  /// The time for which a message may wait for others.
  var pause: Duration { median / Self.part }

  /// Adds the time of a request.
  mutating func add(_ time: Duration) {
    let next = time > median ? median * 9 / 8 : median * 7 / 8
    median = min(max(next, Self.pauses.lowerBound * Self.part), Self.pauses.upperBound * Self.part)
  }
}

/// An estimate of the time from a request to its reply, and the pause that follows from it.
///
/// The estimate moves towards each measured time by a constant factor, so that as many of the latest requests
/// took longer as took less: a few requests with long effects do not change it, in contrast to a mean.
struct Turnaround {
  /// The times for which messages wait for each other.
  ///
  /// The part of the time of a reply is the same for fast and for slow processes: nodes that get little
  /// processor time, or wait for slow brokers, share their messages as well.
  static let pauses = Duration.milliseconds(1)...Duration.milliseconds(25)

  /// The part of the time of a reply that a message may wait.
  private static let part = 4

  /// The estimate.
  private var median = Self.pauses.lowerBound * Self.part

  /// The time for which a message may wait for others.
  var pause: Duration { median / Self.part }

  /// Adds the time of a request.
  mutating func add(_ time: Duration) {
    let next = time > median ? median * 9 / 8 : median * 7 / 8
    median = min(max(next, Self.pauses.lowerBound * Self.part), Self.pauses.upperBound * Self.part)
  }
}

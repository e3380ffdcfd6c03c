/// Spreads heartbeats evenly over their interval.
///
/// Streams that opened together, as after a restart, would stay due together and delay everything
/// else. With many streams, those that have been silent longest are sent a heartbeat early, from half
/// of the interval on, at a rate of one heartbeat per stream and interval. After one round they are
/// spread out, and the number of heartbeats is the same as without. A stream that is due is always
/// sent its heartbeat.
///
/// Pure: the time is a parameter.
struct HeartbeatPace {
  /// Fewer streams than this are not spread.
  private static let spreadMinimum = 100

  /// The interval in milliseconds; 0 disables heartbeats.
  private let interval: Int64

  /// The number of early heartbeats that are allowed, times the interval.
  private var credit: Int64 = 0
  private var last: Int64?

  /// Creates a pace for an interval in milliseconds; 0 disables heartbeats.
  init(interval: Int64) {
    self.interval = interval
  }

  /// Advances the time, during which there were `count` streams.
  mutating func advance(to now: Int64, streams count: Int) {
    let count = Int64(count)
    let passed = min(max(0, now - (last ?? now)), interval)
    last = now
    // Unused credit does not accumulate beyond a hundredth of the streams.
    credit = min(credit + passed * count, count * interval / Int64(Self.spreadMinimum))
  }

  /// Whether to send a heartbeat to the stream that has been silent longest; consumes credit if so.
  mutating func isDue(silentSince time: Int64, at now: Int64) -> Bool {
    guard interval > 0 else { return false }
    if now - time >= interval {
      credit = max(0, credit - interval)
      return true
    }
    guard (now - time) * 2 >= interval, credit >= interval else { return false }
    credit -= interval
    return true
  }

  /// When to check again, or `nil` if heartbeats are disabled.
  func next(silentSince time: Int64, at now: Int64, streams count: Int) -> Int64? {
    guard interval > 0 else { return nil }
    let due = time + interval
    guard count >= Self.spreadMinimum else { return due }
    return min(due, max(time + interval / 2, now + max(1, interval / Int64(Self.spreadMinimum))))
  }
}

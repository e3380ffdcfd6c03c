/// Spreads heartbeats over their interval.
///
/// Streams that came together, as after a restart, would be due together for ever: a herd that holds
/// up everybody else. So where there are many, the ones that are silent for longest are beaten early,
/// from half of the interval on, at the pace at which each would be beaten once an interval. Whoever is
/// due is beaten in any case. A herd is spread out after one round, and from then on nobody is beaten
/// more often than without.
///
/// Pure: it counts, and asks for the time.
struct HeartbeatPace {
  /// Fewer streams than this are no herd.
  private static let herd = 100

  /// In milliseconds; 0 for no heartbeats.
  private let interval: Int64

  /// How many streams may be beaten early, times the interval.
  private var credit: Int64 = 0
  private var last: Int64?

  /// Makes a pace for an interval in milliseconds; 0 for no heartbeats.
  init(interval: Int64) {
    self.interval = interval
  }

  /// Time has passed while there were so many streams.
  mutating func advance(to now: Int64, streams count: Int) {
    let count = Int64(count)
    let passed = min(max(0, now - (last ?? now)), interval)
    last = now
    // What is not used at once is not saved up: a hundredth of the streams is the most at a time.
    credit = min(credit + passed * count, count * interval / Int64(Self.herd))
  }

  /// Whether a stream is to be beaten that was silent for longest; the answer counts.
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

  /// When to ask again; `nil` for never.
  func next(silentSince time: Int64, at now: Int64, streams count: Int) -> Int64? {
    guard interval > 0 else { return nil }
    let due = time + interval
    guard count >= Self.herd else { return due }
    return min(due, max(time + interval / 2, now + max(1, interval / Int64(Self.herd))))
  }
}

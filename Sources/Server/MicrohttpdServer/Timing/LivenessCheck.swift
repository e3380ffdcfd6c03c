/// Decides when to check whether the clients of streams are still connected, and how long they may
/// acknowledge nothing.
///
/// A client that loses power or its network closes no connection, and the kernel retransmits its
/// bytes for a quarter of an hour. Heartbeats make sure that there are bytes to acknowledge: a
/// client without an acknowledgement for a heartbeat interval and a third is gone, and is found
/// within two intervals.
///
/// Pure: times are parameters, in milliseconds.
struct LivenessCheck {
  /// The minimum timeout: a slow network can delay acknowledgements.
  private static let leastTimeout: Int64 = 1000

  /// The time without an acknowledgement after which a client is gone.
  let timeout: Int64

  /// The time between two checks of a stream, or `nil` without heartbeats.
  private let period: Int64?

  /// Creates a check.
  ///
  /// - Parameter heartbeat: The interval of heartbeats; 0 disables the check.
  init(heartbeat: Int64) {
    period = heartbeat > 0 ? max(1, heartbeat / 3) : nil
    timeout = max(Self.leastTimeout, heartbeat + heartbeat / 3)
  }

  /// Whether to check a stream.
  func isDue(checkedAt time: Int64, at now: Int64) -> Bool {
    now >= next(checkedAt: time)
  }

  /// When to check a stream next.
  func next(checkedAt time: Int64) -> Int64 {
    period.map { time + $0 } ?? .max
  }
}

internal import Synchronization

/// The requests of this process to another process, or its replies to that process, until they are
/// published.
///
/// While several requests between the two processes have no reply, a request or reply waits for a
/// fraction of the time of a reply, see ``Turnaround``, and shares a message with those that
/// follow: each message costs a system call and a wake in each process that it passes. It is sent
/// immediately, on the calling thread, if few requests have no reply, or if nothing can follow
/// because each request has its reply. The order is retained.
final class Outbox: Sendable {
  fileprivate struct State {
    var waiting: [(number: UInt64, bytes: [UInt8])] = []
    /// Whether a thread publishes.
    var isPublishing = false
    /// Whether ``publishScheduled()`` will be called.
    var isScheduled = false
    /// The number of requests without a reply.
    var open = 0
    var turnaround = Turnaround()
  }

  /// The number of requests without a reply from which on requests and replies wait.
  private static let busyBound = 4

  private let state = Mutex(State())
  private let schedule: @Sendable (Outbox, Duration) -> Void
  private let publish: @Sendable (BusPacket) -> Void

  /// Creates an outbox.
  ///
  /// - Parameters:
  ///   - schedule: Calls ``publishScheduled()`` after a pause.
  ///   - publish: Publishes a packet; not called concurrently.
  init(
    schedule: @escaping @Sendable (Outbox, Duration) -> Void,
    publish: @escaping @Sendable (BusPacket) -> Void
  ) {
    self.schedule = schedule
    self.publish = publish
  }

  /// Whether each request has its reply, and nothing waits.
  var isIdle: Bool { state.withLock { $0.open == 0 && $0.waiting.isEmpty } }

  /// A request is about to be sent, or was received.
  func begin() { state.withLock { $0.open += 1 } }

  /// A request has its reply, or will not get one.
  ///
  /// - Parameter start: The time at which the request began.
  func end(since start: ContinuousClock.Instant) {
    let time = .now - start
    let publishes = state.withLock { state in
      state.open -= 1
      state.turnaround.add(time)
      guard state.open == 0, !state.waiting.isEmpty, !state.isPublishing else { return false }
      state.isPublishing = true
      return true
    }
    if publishes { publishWaiting() }
  }

  /// Sends a request or a reply.
  func send(_ bytes: [UInt8], numbered number: UInt64) {
    let (publishes, pause) = state.withLock { state -> (Bool, Duration?) in
      state.waiting.append((number, bytes))
      guard !state.isPublishing, !state.isScheduled else { return (false, nil) }
      if state.open >= Self.busyBound {
        state.isScheduled = true
        return (false, state.turnaround.pause)
      }
      state.isPublishing = true
      return (true, nil)
    }
    if let pause { schedule(self, pause) }
    if publishes { publishWaiting() }
  }

  /// Publishes the requests or replies that wait.
  func publishScheduled() {
    let publishes = state.withLock { state in
      state.isScheduled = false
      defer { state.isPublishing = true }
      return !state.isPublishing
    }
    if publishes { publishWaiting() }
  }

  private func publishWaiting() {
    while let packet = state.withLock({ $0.takePacket() }) { publish(packet) }
  }
}

extension Outbox.State {
  /// Removes and returns the next packet; if nothing waits, returns `nil` and ends the publishing.
  fileprivate mutating func takePacket() -> BusPacket? {
    guard !waiting.isEmpty else {
      isPublishing = false
      return nil
    }
    var packet = BusPacket()
    var count = 0
    for (number, bytes) in waiting {
      guard packet.hasRoom(for: bytes.count) else { break }
      packet.append(bytes, numbered: number)
      count += 1
    }
    waiting.removeFirst(count)
    return packet
  }
}

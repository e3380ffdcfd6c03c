internal import Synchronization
internal import SystemThreads

/// The thread of a bus that publishes outboxes after their pauses.
final class OutboxThread: Sendable {
  private struct State {
    /// The outboxes to publish, and when.
    var outboxes: [(outbox: Outbox, due: ContinuousClock.Instant)] = []
    /// The time until which the thread sleeps.
    var wakesAt: ContinuousClock.Instant?
    var isClosed = false
  }

  /// The time for which the thread sleeps while nothing waits.
  private static let idleTime = Duration.seconds(3_600)

  private let state = Mutex(State())
  private let isNeeded = Semaphore()

  /// Starts the thread, or returns `nil` if the system cannot create one.
  init?() {
    guard SystemThread(named: "nats-bus", { [self] in publish() }) != nil else { return nil }
  }

  /// Publishes the contents of an outbox after a pause.
  @Sendable func schedule(_ outbox: Outbox, after pause: Duration) {
    let due = ContinuousClock.now + pause
    let isFirst = state.withLock { state in
      state.outboxes.append((outbox, due))
      guard due < state.wakesAt ?? due else { return false }
      state.wakesAt = due
      return true
    }
    if isFirst { isNeeded.signal() }
  }

  /// Ends the thread after it has published the scheduled outboxes.
  func close() {
    state.withLock { $0.isClosed = true }
    isNeeded.signal()
  }

  private func publish() {
    var isClosed = false
    while !isClosed {
      isNeeded.wait(for: timeToSleep())
      var due: [Outbox] = []
      state.withLock { state in
        state.wakesAt = nil
        isClosed = state.isClosed
        let now = ContinuousClock.now
        let part = state.outboxes.partition { isClosed || $0.due <= now }
        due = state.outboxes[part...].map(\.outbox)
        state.outboxes.removeSubrange(part...)
      }
      for outbox in due { outbox.publishScheduled() }
    }
  }

  private func timeToSleep() -> Duration {
    state.withLock { state in
      let now = ContinuousClock.now
      let next = state.outboxes.map(\.due).min() ?? now + Self.idleTime
      state.wakesAt = next
      return max(.zero, next - now)
    }
  }
}

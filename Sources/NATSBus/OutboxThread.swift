internal import Glibc
internal import Synchronization
internal import SystemThreads

/// The thread of a bus that publishes what waits in outboxes.
final class OutboxThread: Sendable {
  /// The time for which messages wait for others, in microseconds.
  static let pause: UInt32 = 1_000

  private struct State {
    var outboxes: [Outbox] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let isNeeded = Semaphore()

  /// Starts the thread; `nil` if the system cannot create one.
  init?() {
    guard SystemThread(named: "nats-bus", { [self] in run() }) != nil else { return nil }
  }

  /// Publishes what waits in an outbox, after the pause.
  func schedule(_ outbox: Outbox) {
    let isFirst = state.withLock { state in
      state.outboxes.append(outbox)
      return state.outboxes.count == 1
    }
    if isFirst { isNeeded.signal() }
  }

  /// Ends the thread.
  func close() {
    state.withLock { $0.isClosed = true }
    isNeeded.signal()
  }

  private func run() {
    while true {
      _ = isNeeded.wait(seconds: 3_600)
      usleep(Self.pause)
      let (outboxes, isClosed) = state.withLock { state in
        defer { state.outboxes = [] }
        return (state.outboxes, state.isClosed)
      }
      for outbox in outboxes { outbox.publishScheduled() }
      if isClosed { return }
    }
  }
}

internal import Dispatch
internal import Synchronization

/// A timer that can be set repeatedly; a new time replaces the previous one.
final class DeadlineTimer: Sendable {
  private let queue: DispatchQueue
  private let clock: ClientClock
  private let pending = Mutex<(time: Duration?, number: Int)>((nil, 0))

  init(on queue: DispatchQueue, _ clock: ClientClock) {
    self.queue = queue
    self.clock = clock
  }

  /// Calls `body` on the queue at a time, unless the timer is set again before; `nil` cancels the
  /// timer.
  func set(_ time: Duration?, _ body: @escaping @Sendable () -> Void) {
    let number: Int? = pending.withLock { pending in
      guard time != pending.time else { return nil }
      pending = (time, pending.number + 1)
      return pending.number
    }
    guard let number, let time else { return }
    let delay = max(.zero, time - clock.now)
    queue.asyncAfter(deadline: .now() + delay / .seconds(1)) { [self] in
      let isDue = pending.withLock { pending in
        guard pending.number == number else { return false }
        pending.time = nil
        return true
      }
      if isDue { body() }
    }
  }
}

/// The time since the start of the client, which continues while a device sleeps.
struct ClientClock: Sendable {
  private let start = ContinuousClock.now

  var now: Duration { ContinuousClock.now - start }
}

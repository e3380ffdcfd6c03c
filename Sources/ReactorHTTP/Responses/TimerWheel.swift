internal import Synchronization

/// An object that is notified when its timer expires.
protocol TimerTarget: AnyObject, Sendable {
  /// Called at most once per timer, without locks held.
  func timerExpired()
}

/// Timers of pending responses, driven by one task.
///
/// With a durable store every action waits, if only for the disk, and a task per action would cost
/// more than the action. The wheel ticks while it has timers; a timer expires at the tick after its
/// deadline.
final class TimerWheel: Sendable {
  /// The tick at which a timer expires.
  typealias Tick = Int

  private struct State {
    var timers: [Tick: [ObjectIdentifier: any TimerTarget]] = [:]
    var isTicking = false
  }

  private static let tick = Duration.milliseconds(20)
  /// Longer timers are shortened to this, so that a client cannot overflow the tick count.
  private static let longest = Duration.seconds(31_536_000)
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  /// Starts a timer.
  ///
  /// - Returns: The tick that ``cancel(_:at:)`` takes.
  @discardableResult
  func schedule(_ target: any TimerTarget, after time: Duration) -> Tick {
    // Rounded up twice: the current tick has already begun.
    let tick = currentTick + Int((min(time, Self.longest) / Self.tick).rounded(.up)) + 1
    let isTicking = state.withLock { state in
      state.timers[tick, default: [:]][ObjectIdentifier(target)] = target
      defer { state.isTicking = true }
      return state.isTicking
    }
    if !isTicking { Task { await run() } }
    return tick
  }

  /// Removes a timer.
  func cancel(_ target: any TimerTarget, at tick: Tick) {
    state.withLock { state in
      _ = state.timers[tick]?.removeValue(forKey: ObjectIdentifier(target))
    }
  }

  private func run() async {
    repeat {
      // The task is never cancelled.
      try? await Task.sleep(for: Self.tick)
      for target in removeExpired() { target.timerExpired() }
    } while !isDone()
  }

  private func removeExpired() -> [any TimerTarget] {
    let now = currentTick
    return state.withLock { state in
      var expired: [any TimerTarget] = []
      for tick in state.timers.keys where tick <= now || state.timers[tick]?.isEmpty == true {
        expired += state.timers.removeValue(forKey: tick)?.values.map { $0 } ?? []
      }
      return expired
    }
  }

  private func isDone() -> Bool {
    state.withLock { state in
      state.isTicking = !state.timers.isEmpty
      return !state.isTicking
    }
  }

  private var currentTick: Tick {
    Int((ContinuousClock.now - start) / Self.tick)
  }
}

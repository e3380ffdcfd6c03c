internal import Synchronization
internal import Telemetry

/// An object that is notified when its timer expires.
protocol TimerTarget: AnyObject, Sendable {
  /// Called at most once per timer, without locks held.
  func timerExpired()
}

/// Timers of pending responses, driven by one task.
///
/// With a durable store, every action waits at least for the disk, and a task per action would cost
/// more than the action. The wheel ticks while it has timers; a timer expires at the tick after its
/// deadline.
final class TimerWheel: Sendable {
  /// The time until a timer expires, converted to ticks once for all actions that wait as long.
  struct Interval: Sendable {
    /// Longer intervals are shortened to this, so that a client cannot overflow the tick count.
    private static let longest = Duration.seconds(31_536_000)

    /// The time in ticks, rounded up; 0 for no time.
    fileprivate let ticks: Int

    /// Converts a time.
    init(_ time: Duration) {
      ticks = max(0, Int((min(time, Self.longest) / .milliseconds(TimerWheel.tick)).rounded(.up)))
    }

    /// Whether there is no time to wait.
    var isEmpty: Bool { ticks == 0 }
  }

  /// The place of a timer in the wheel, for ``TimerWheel/cancel(_:at:)``.
  struct Place: Sendable {
    fileprivate let tick: Int
    fileprivate let index: Int
  }

  /// The timers that expire at one tick.
  ///
  /// An array, not a dictionary: hashing a target twice per action would cost more than the lock.
  private struct Bucket {
    private var targets: [(any TimerTarget)?] = []
    /// The indices of removed targets, which the next ones reuse.
    private var free: [Int] = []

    var isEmpty: Bool { targets.count == free.count }

    var remaining: [any TimerTarget] { targets.compactMap { $0 } }

    mutating func insert(_ target: any TimerTarget) -> Int {
      guard let index = free.popLast() else {
        targets.append(target)
        return targets.count - 1
      }
      targets[index] = target
      return index
    }

    /// Removes a target, unless it has been removed and another one has its index.
    mutating func remove(_ target: any TimerTarget, at index: Int) {
      guard targets.indices.contains(index), targets[index] === target else { return }
      targets[index] = nil
      free.append(index)
    }
  }

  private struct State {
    var timers: [Int: Bucket] = [:]
    var isTicking = false
    /// Whether timers expire at the next tick, however long they are.
    var isEnding = false
  }

  /// The length of a tick in milliseconds.
  fileprivate static let tick = 20
  private let stopwatch = Stopwatch()
  private let state = Mutex(State())

  /// Starts a timer.
  ///
  /// - Returns: The place that ``cancel(_:at:)`` takes.
  @discardableResult
  func schedule(_ target: any TimerTarget, after interval: Interval) -> Place {
    let now = currentTick
    let (place, isTicking) = state.withLock { state in
      defer { state.isTicking = true }
      // One more tick than the interval, since the current tick has already begun.
      let tick = now + (state.isEnding ? 0 : interval.ticks) + 1
      let index = state.timers[tick, default: Bucket()].insert(target)
      return (Place(tick: tick, index: index), state.isTicking)
    }
    if !isTicking { Task { await expireTimers() } }
    return place
  }

  /// Expires all timers now, and later ones at the tick after they were started.
  func expireAll() {
    let targets = state.withLock { state in
      defer { (state.timers, state.isEnding) = ([:], true) }
      return state.timers.values.flatMap(\.remaining)
    }
    for target in targets { target.timerExpired() }
  }

  /// Removes a timer.
  func cancel(_ target: any TimerTarget, at place: Place) {
    state.withLock { $0.timers[place.tick]?.remove(target, at: place.index) }
  }

  private func expireTimers() async {
    repeat {
      // The task is never cancelled.
      try? await Task.sleep(for: .milliseconds(Self.tick))
      for target in removeExpired() { target.timerExpired() }
    } while !isDone()
  }

  private func removeExpired() -> [any TimerTarget] {
    let now = currentTick
    return state.withLock { state in
      var expired: [any TimerTarget] = []
      for tick in state.timers.keys where tick <= now || state.timers[tick]?.isEmpty == true {
        expired += state.timers.removeValue(forKey: tick)?.remaining ?? []
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

  private var currentTick: Int { stopwatch.microseconds / (Self.tick * 1000) }
}

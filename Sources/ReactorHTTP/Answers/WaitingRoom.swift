internal import Synchronization

/// Where answers wait for their outcome, each for a limited time.
///
/// With a durable store every action waits, if only for the disk, and a timer for each would cost
/// more than the action. So there is one clock for all of them, which ticks while anyone is here;
/// who waits for too long is told at the tick after its time.
final class WaitingRoom: Sendable {
  /// The tick at which a time is over.
  typealias Tick = Int

  private struct State {
    var waiting: [Tick: [ObjectIdentifier: PendingAnswer]] = [:]
    var isTicking = false
  }

  private static let tick = Duration.milliseconds(20)
  /// Nobody waits for longer, whatever a client asks for.
  private static let longest = Duration.seconds(31_536_000)
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  /// Tells an answer when a time is over, unless it leaves before.
  ///
  /// - Returns: What ``leave(_:at:)`` wants to know.
  func enter(_ answer: PendingAnswer, for time: Duration) -> Tick {
    // Rounded up twice: the tick that is going on has begun already.
    let tick = currentTick + Int((min(time, Self.longest) / Self.tick).rounded(.up)) + 1
    let isTicking = state.withLock { state in
      state.waiting[tick, default: [:]][ObjectIdentifier(answer)] = answer
      defer { state.isTicking = true }
      return state.isTicking
    }
    if !isTicking { Task { await run() } }
    return tick
  }

  /// Tells an answer nothing more.
  func leave(_ answer: PendingAnswer, at tick: Tick) {
    state.withLock { state in
      _ = state.waiting[tick]?.removeValue(forKey: ObjectIdentifier(answer))
    }
  }

  private func run() async {
    repeat {
      // Nobody cancels this task.
      try? await Task.sleep(for: Self.tick)
      for answer in takeOverdue() { answer.overdue() }
    } while !isDone()
  }

  private func takeOverdue() -> [PendingAnswer] {
    let now = currentTick
    return state.withLock { state in
      var overdue: [PendingAnswer] = []
      for tick in state.waiting.keys where tick <= now || state.waiting[tick]?.isEmpty == true {
        overdue += state.waiting.removeValue(forKey: tick)?.values.map { $0 } ?? []
      }
      return overdue
    }
  }

  private func isDone() -> Bool {
    state.withLock { state in
      state.isTicking = !state.waiting.isEmpty
      return !state.isTicking
    }
  }

  private var currentTick: Tick {
    Int((ContinuousClock.now - start) / Self.tick)
  }
}

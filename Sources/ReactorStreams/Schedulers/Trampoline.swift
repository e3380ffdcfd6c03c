internal import Synchronization

/// The row of work that one thread runs before it returns to who scheduled the first piece.
///
/// A task-local value stands in for a thread-local one. Tasks that are started meanwhile inherit it,
/// so it counts only on the thread that made it and only until that thread has left it.
final class Trampoline: Sendable {
  private struct State {
    var isOver = false
    var waiting = Fifo<ScheduledJob>()
  }

  @TaskLocal private static var innermost: Trampoline?

  private let thread = CurrentThread.id
  private let state = Mutex(State())

  /// The one that the calling thread is running.
  static var ofCurrentThread: Trampoline? {
    guard let innermost, innermost.thread == CurrentThread.id,
      !innermost.state.withLock({ $0.isOver })
    else { return nil }
    return innermost
  }

  /// Runs a job and what it schedules, or leaves it to the trampoline that runs.
  static func run(_ job: ScheduledJob) {
    if let running = ofCurrentThread {
      running.state.withLock { $0.waiting.append(job) }
      return
    }
    let trampoline = Trampoline()
    $innermost.withValue(trampoline) {
      job.run()
      while let next = trampoline.next() { next.run() }
    }
  }

  private func next() -> ScheduledJob? {
    state.withLock { state in
      let job = state.waiting.popFirst()
      state.isOver = job == nil
      return job
    }
  }
}

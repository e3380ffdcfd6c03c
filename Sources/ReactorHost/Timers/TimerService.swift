internal import Dispatch
internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// Fires the due timers of all sessions: executes what ``TimerSchedule`` decides.
///
/// It reads the log and loads sessions on a queue of its own, since both may block on the disk.
final class TimerService: Sendable {
  /// Fires a timer, and calls the completion once, on any thread.
  typealias Fire =
    @Sendable (
      DueTimer, _ completion: @escaping @Sendable (TimerSchedule.Outcome) -> Void
    ) -> Void

  private let log: any MutationLog
  private let logger: Logger
  private let schedule = Mutex(TimerSchedule())
  private let fire = Mutex<Fire?>(nil)
  private let queue = DispatchQueue(label: "timers")
  /// The number of stored timers when it was read last; negative before.
  private let stored = Atomic<Int>(-1)
  // Proof: sources are safe for threads; after `init`, only `queue` uses it.
  nonisolated(unsafe) private let alarm: any DispatchSourceTimer

  init(log: any MutationLog, logger: Logger) {
    self.log = log
    self.logger = logger
    // Without `strict` the system may extend a wait by a tenth.
    unsafe alarm = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    unsafe alarm.setEventHandler { [weak self] in self?.advance() }
    unsafe alarm.activate()
  }

  /// Begins to fire timers: those that are due first, the oldest of them first.
  func start(_ fire: @escaping Fire) {
    self.fire.withLock { $0 = fire }
    wake()
  }

  /// Begins to fire no further timers.
  func stop() {
    fire.withLock { $0 = nil }
  }

  /// Schedules a timer that was committed.
  ///
  /// Any thread may call this.
  func didSchedule(_ due: Timestamp) {
    if schedule.withLock({ $0.scheduled(due) }) { wake() }
  }

  /// Reads the due timers from the beginning: the log may have others than those that were read.
  func readAgain() {
    didSchedule(Timestamp(milliseconds: 0))
  }

  /// The number of stored timers; `nil` while it is not known.
  ///
  /// If the log reads asynchronously, it is the number at the previous call.
  func readStoredCount() -> Int? {
    log.timerCount { [self] count in
      // Other metrics report the failure of a log.
      stored.store((try? count.get()) ?? -1, ordering: .relaxed)
    }
    let count = stored.load(ordering: .relaxed)
    return count < 0 ? nil : count
  }

  private func wake() {
    queue.async { [weak self] in self?.advance() }
  }

  private func advance() {
    while fire.withLock({ $0 != nil }) {
      switch schedule.withLock({ $0.next(at: .now) }) {
      case .rest: return
      case .wait(let time):
        return unsafe alarm.schedule(
          deadline: .now() + .milliseconds(Int(time)), leeway: .milliseconds(1))
      case .read(let position, let time, let limit):
        return log.dueTimers(after: position, until: time, limit: limit) { [weak self] page in
          guard let self else { return }
          // Not on the log's thread, and not nested in this call.
          queue.async { [weak self] in self?.didRead(page, limit: limit) }
        }
      }
    }
  }

  private func didRead(_ page: Result<DueTimers, LogError>, limit: Int) {
    guard let fire = fire.withLock({ $0 }) else {
      // Stopped meanwhile: they are read again after the next start.
      return schedule.withLock { $0.didFailToRead(at: .now) }
    }
    switch page {
    case .success(let page):
      for timer in schedule.withLock({ $0.didRead(page, limit: limit) }) {
        fire(timer) { [weak self] outcome in self?.didFinish(timer, outcome) }
      }
    case .failure(let error):
      logger.error("timers cannot be read", ["error": "\(error)"])
      schedule.withLock { $0.didFailToRead(at: .now) }
    }
    advance()
  }

  private func didFinish(_ timer: DueTimer, _ outcome: TimerSchedule.Outcome) {
    if schedule.withLock({ $0.didFinish(timer, outcome, at: .now) }) { wake() }
  }
}

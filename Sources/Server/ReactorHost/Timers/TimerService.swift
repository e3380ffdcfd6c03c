internal import Dispatch
internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// Fires the due timers of all sessions, as ``TimerSchedule`` decides.
///
/// It reads the log and loads sessions on a thread of its own, since both may block on the disk.
final class TimerService: Sendable {
  typealias Fire = @Sendable (DueTimer) async -> TimerSchedule.Outcome

  private let log: any MutationLog
  private let logger: Logger
  private let schedule = Mutex(TimerSchedule())
  private let fire = Mutex<Fire?>(nil)
  private let thread = WorkerPool(width: 1, named: "timers")
  // Proof: sources are safe for threads; after `init`, only `thread` uses it.
  nonisolated(unsafe) private let alarm: any DispatchSourceTimer

  init(log: any MutationLog, logger: Logger) {
    self.log = log
    self.logger = logger
    // Without `strict` the system may extend a wait by a tenth.
    unsafe alarm = DispatchSource.makeTimerSource(flags: .strict)
    unsafe alarm.setEventHandler { [weak self] in self?.wake() }
    unsafe alarm.activate()
  }

  /// Starts firing timers, beginning with the oldest that is due.
  func start(_ fire: @escaping Fire) {
    self.fire.withLock { $0 = fire }
    wake()
  }

  /// Stops firing timers; those that are already being fired are completed.
  func stop() {
    fire.withLock { $0 = nil }
  }

  /// Schedules a timer that was committed.
  ///
  /// Any thread may call this.
  func didSchedule(_ due: Timestamp) {
    if schedule.withLock({ $0.scheduled(due) }) { wake() }
  }

  /// Reads all due timers again: the log may have timers that were not read before.
  func readAgain() {
    didSchedule(Timestamp(milliseconds: 0))
  }

  /// Returns the number of stored timers, or `nil` while it is not known.
  func readStoredCount() -> Int? {
    // Ignore a failure of the log, which other metrics report.
    try? log.timerCount()
  }

  private func wake() {
    thread.enqueue(for: .none) { [weak self] in self?.advance() }
  }

  private func advance() {
    while fire.withLock({ $0 != nil }) {
      switch schedule.withLock({ $0.next(at: .now) }) {
      case .rest: return
      case .wait(let time):
        return unsafe alarm.schedule(
          deadline: .now() + .milliseconds(Int(time)), leeway: .milliseconds(1))
      case .read(let position, let time, let limit):
        read(after: position, until: time, limit: limit)
      }
    }
  }

  private func read(after position: TimerPosition?, until time: Timestamp, limit: Int) {
    do throws(LogError) {
      let page = try log.dueTimers(after: position, until: time, limit: limit)
      guard let fire = fire.withLock({ $0 }) else {
        // The service was stopped meanwhile: the timers are read again after the next start.
        return schedule.withLock { $0.didFailToRead(at: .now) }
      }
      for timer in schedule.withLock({ $0.didRead(page, limit: limit) }) {
        thread.start(for: .none) { [self] in
          let outcome = await fire(timer)
          if schedule.withLock({ $0.didFinish(timer, outcome, at: .now) }) { wake() }
        }
      }
    } catch {
      logger.error("timers cannot be read", ["error": "\(error)"])
      schedule.withLock { $0.didFailToRead(at: .now) }
    }
  }
}

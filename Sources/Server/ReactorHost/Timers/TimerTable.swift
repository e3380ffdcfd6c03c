internal import ReactorCore
internal import ReactorLog

/// The timers of one session by id, those of unfinished batches included.
///
/// A value without a clock or a log, changed in the session's serial context only.
struct TimerTable: Sendable {
  private var timers: [String: StoredTimer] = [:]

  /// Creates a table with the timers that the log has.
  init(_ timers: [StoredTimer] = []) {
    for timer in timers { self.timers[timer.id] = timer }
  }

  /// The timers in the order in which they are due.
  var all: [StoredTimer] {
    timers.values.sorted { ($0.due.milliseconds, $0.id) < ($1.due.milliseconds, $1.id) }
  }

  /// Returns whether a timer can be set: it replaces one, or the number of timers is below a limit.
  func hasPlace(for id: String, limit: Int) -> Bool {
    timers[id] != nil || timers.count < limit
  }

  /// Sets or removes a timer.
  ///
  /// - Returns: Whether the table has changed.
  mutating func set(_ id: String, to timer: StoredTimer?) -> Bool {
    defer { timers[id] = timer }
    return timers[id] != timer
  }

  /// Returns the current timer for one that was read from the log, or `nil` if it was removed since,
  /// or replaced by one that is not due yet.
  func timer(firedBy due: DueTimer) -> StoredTimer? {
    guard let timer = timers[due.id], timer.due.milliseconds <= due.position.due.milliseconds
    else { return nil }
    return timer
  }
}

extension StoredTimer {
  /// Returns the timer with its next due time, or `nil` if it does not repeat.
  func repetition(at now: Timestamp) -> StoredTimer? {
    guard let period,
      let time = TimerChange.Timer.next(
        after: WallTime(milliseconds: due.milliseconds), period: period, catchesUp: catchesUp,
        at: WallTime(milliseconds: now.milliseconds))
    else { return nil }
    var next = self
    next.due = Timestamp(milliseconds: time.milliseconds)
    return next
  }
}

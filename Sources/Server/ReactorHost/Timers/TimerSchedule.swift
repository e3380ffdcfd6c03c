internal import ReactorLog

/// Decides when to read the due timers from the log, and which of them to fire.
///
/// A value without a log, a clock or a thread. It holds the timers that are being fired, at most
/// ``window``, and a position in the order of the log's timers: all before it have been fired, or are
/// among these. So its memory does not depend on the number of timers.
///
/// ```
///                     ┌────────────── wait ◀── none is due
///                     ▼                           │
///   next(at:) ──▶ is one due? ──▶ read ──▶ didRead ──▶ fire ──▶ didFinish
///                     ▲                                             │
///                     └───────── scheduled(_:) ◀────────────────────┘ the repetition
/// ```
///
/// - A timer is fired by one caller at a time. If it was scheduled again and is due while it is
///   being fired, it is fired again after the first call has ended.
/// - A timer that could not be fired, since its session could not be loaded or its commit failed, is
///   tried again after ``retryInterval``, with all others that are due.
/// - The clock can be set: a wait that is longer than ``longestWait`` is split, and the position
///   returns to the time of a timer that is scheduled before it.
struct TimerSchedule: Sendable {
  /// The next action of the caller.
  enum Step: Equatable {
    /// Wait for ``scheduled(_:)`` or ``didFinish(_:_:at:)`` to return `true`.
    case rest

    /// Wait as for ``rest``, but at most for a time in milliseconds.
    case wait(Int64)

    /// Read the due timers, and pass them to ``didRead(_:limit:)``.
    case read(after: TimerPosition?, until: Timestamp, limit: Int)
  }

  /// The result of firing a timer.
  enum Outcome: Equatable, Sendable {
    /// The commit that removes or replaces the timer is durable, or an earlier commit has removed
    /// or replaced it.
    case done

    /// The timer is still due.
    case failed
  }

  private struct Identity: Hashable {
    let key: SessionKey
    let id: String

    init(_ timer: DueTimer) {
      (key, id) = (timer.key, timer.id)
    }
  }

  /// A timer that is being fired.
  private struct Firing {
    /// The new due time, if the timer was read again meanwhile.
    var again: Timestamp?
  }

  /// The maximum number of timers that are fired at the same time.
  static let window = 1000

  /// The time after which timers that failed are fired again, in milliseconds.
  static let retryInterval: Int64 = 5000

  /// The longest wait, in milliseconds.
  static let longestWait: Int64 = 1000

  /// All timers up to this position were read.
  private var position: TimerPosition?
  /// The due time of the first timer after the position: `.min` if it is unknown.
  private var next: Int64? = .min
  private var firing: [Identity: Firing] = [:]
  private var retryAt: Int64?
  /// Whether the log is being read, so that the result may lack timers that are scheduled meanwhile.
  private var isReading = false
  /// The earliest timer that was scheduled while the log was being read.
  private var announced: Int64?
  /// The time until which the caller waits, or `nil` for a wait without an end.
  private var waitEnd: Int64?

  /// Returns the next action of the caller.
  mutating func next(at now: Timestamp) -> Step {
    // The caller calls this method again after the read.
    guard !isReading else { return .rest }
    let now = now.milliseconds
    if let retry = retryAt {
      if retry <= now {
        (position, next, retryAt) = (nil, .min, nil)
      } else {
        // Bound the time until the retry: the clock may have been set back.
        retryAt = min(retry, now + Self.retryInterval)
      }
    }
    waitEnd = nil
    guard firing.count < Self.window else { return .rest }
    if let next, next <= now {
      isReading = true
      return .read(
        after: position, until: Timestamp(milliseconds: now), limit: Self.window - firing.count)
    }
    waitEnd = [next, retryAt].compactMap { $0 }.min()
    guard let waitEnd else { return .rest }
    return .wait(min(max(0, waitEnd - now), Self.longestWait))
  }

  /// The log has returned the due timers.
  ///
  /// - Parameters:
  ///   - page: The timers.
  ///   - limit: The limit of the reading.
  /// - Returns: The timers to fire, in order. Each is passed to ``didFinish(_:_:at:)``.
  mutating func didRead(_ page: DueTimers, limit: Int) -> [DueTimer] {
    position = page.timers.last?.position ?? position
    next = page.timers.count < limit ? page.next?.milliseconds : .min
    endReading()
    var due: [DueTimer] = []
    for timer in page.timers {
      let identity = Identity(timer)
      if firing[identity] == nil {
        firing[identity] = Firing()
        due.append(timer)
      } else {
        firing[identity]?.again = timer.position.due
      }
    }
    return due
  }

  /// Schedules another read of the log after a failed one.
  mutating func didFailToRead(at now: Timestamp) {
    next = nil
    retryAt = now.milliseconds + Self.retryInterval
    endReading()
  }

  private mutating func endReading() {
    isReading = false
    if let announced { _ = include(announced) }
    announced = nil
  }

  /// A timer was committed.
  ///
  /// - Returns: Whether to end the wait.
  mutating func scheduled(_ due: Timestamp) -> Bool {
    guard isReading else { return include(due.milliseconds) }
    announced = min(announced ?? .max, due.milliseconds)
    return false
  }

  private mutating func include(_ due: Int64) -> Bool {
    if let position, due <= position.due.milliseconds {
      self.position = TimerPosition(before: Timestamp(milliseconds: due))
    }
    next = min(next ?? .max, due)
    return endsWait(due)
  }

  private func endsWait(_ time: Int64) -> Bool {
    firing.count < Self.window && time < waitEnd ?? .max
  }

  /// A timer was fired, or could not be fired.
  ///
  /// - Returns: Whether to end the wait.
  mutating func didFinish(_ timer: DueTimer, _ outcome: Outcome, at now: Timestamp) -> Bool {
    let wasFull = firing.count >= Self.window
    let again = firing.removeValue(forKey: Identity(timer))?.again
    var endsWait = wasFull
    if let again, scheduled(again) { endsWait = true }
    if outcome == .failed, retryAt == nil {
      let retry = now.milliseconds + Self.retryInterval
      retryAt = retry
      if self.endsWait(retry) { endsWait = true }
    }
    return endsWait
  }
}

/// A durable timer of a session: an action that is executed at a time.
public struct StoredTimer: Equatable, Sendable {
  /// Identifies the timer in its session.
  public let id: String

  /// The time at which it is due.
  public var due: Timestamp

  /// The action, as JSON.
  public let action: [UInt8]

  /// The time between two repetitions, in milliseconds, or `nil` for a timer that fires once.
  public let period: Int64?

  /// Whether missed repetitions are executed later.
  public let catchesUp: Bool

  /// Creates a timer.
  public init(
    id: String, due: Timestamp, action: [UInt8], period: Int64? = nil, catchesUp: Bool = false
  ) {
    self.id = id
    self.due = due
    self.action = action
    self.period = period
    self.catchesUp = catchesUp
  }

  /// The position among the timers of its session.
  public var position: TimerPosition { TimerPosition(due: due, history: 0, id: id) }
}

/// A change of a session's timers in a batch.
public struct StoredTimerChange: Equatable, Sendable {
  /// The timer that is replaced or removed.
  public let id: String

  /// The new timer; `nil` removes the timer with this id.
  public let timer: StoredTimer?

  /// Creates a change.
  public init(id: String, timer: StoredTimer?) {
    self.id = id
    self.timer = timer
  }
}

/// The position of a timer in the order in which the timers of all sessions are due.
public struct TimerPosition: Hashable, Comparable, Sendable {
  /// The time at which it is due.
  public let due: Timestamp

  /// The log's number of the session's history.
  public let history: Int64

  /// The id of the timer.
  public let id: String

  /// Creates the position of a timer.
  public init(due: Timestamp, history: Int64, id: String) {
    self.due = due
    self.history = history
    self.id = id
  }

  /// The position before all timers that are due at a time.
  public init(before due: Timestamp) {
    self.init(due: due, history: .min, id: "")
  }

  /// Orders by due time, then by history, then by id.
  public static func < (lhs: TimerPosition, rhs: TimerPosition) -> Bool {
    (lhs.due.milliseconds, lhs.history, lhs.id) < (rhs.due.milliseconds, rhs.history, rhs.id)
  }
}

/// A timer that is due, with its session.
public struct DueTimer: Equatable, Sendable {
  /// The session.
  public let key: SessionKey

  /// The id of the timer.
  public let id: String

  /// Its position, which contains its due time.
  public let position: TimerPosition

  /// Creates a due timer.
  public init(key: SessionKey, position: TimerPosition) {
    self.key = key
    self.position = position
    id = position.id
  }
}

/// Due timers, and the time of the next ones.
public struct DueTimers: Equatable, Sendable {
  /// The timers in the order of their positions.
  public let timers: [DueTimer]

  /// The due time of the first timer that was not due yet, or `nil` if there is none, or if the page
  /// is full.
  public let next: Timestamp?

  /// Creates a page.
  public init(_ timers: [DueTimer], next: Timestamp?) {
    self.timers = timers
    self.next = next
  }

  /// No timers.
  public static let none = DueTimers([], next: nil)
}

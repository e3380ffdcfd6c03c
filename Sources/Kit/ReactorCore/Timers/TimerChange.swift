package import ReactorStreams

/// A change of a reactor's durable timers: sets the timer of an id, or removes it.
package struct TimerChange: Sendable {
  /// A timer.
  package struct Timer: Sendable {
    /// The action that the timer sends.
    ///
    /// It has the reactor's `Action` type.
    package let action: any Sendable
    package let due: WallTime
    /// The time between two repetitions, or `nil` for a timer that fires once.
    package let period: Duration?
    /// Whether repetitions that were missed are executed later.
    package let catchesUp: Bool
  }

  package let id: String

  /// The timer to set; `nil` removes the timer with the id.
  package let timer: Timer?
}

/// A serial context that stores the timers of its reactor.
package protocol TimerStoringContext: SerialContext {
  /// Stores a change with the mutations of the turn, in the serial context.
  ///
  /// - Returns: The error of the effect if the change is rejected.
  func change(_ change: TimerChange) -> (any Error)?
}

/// The error of an effect that schedules an invalid timer.
public enum TimerError: ActionError, Equatable {
  /// The time is beyond the year 9999.
  case time

  /// The id is not 1 to 128 of `A-Z a-z 0-9 . _ ~ -`, or it is `.` or `..`.
  case id

  /// The period is shorter than a millisecond.
  case period

  /// The session has its maximum number of timers.
  case tooMany(limit: Int)

  /// The action is larger than ``actionLimit``, or cannot be encoded as JSON.
  case action

  /// The action has a ``Private`` value, which the timer would store.
  case privateValue

  /// The reactor is a screen of a flow; timers belong to the flow.
  case screen

  /// The maximum size of a timer's action as JSON, in bytes.
  public static let actionLimit = 16_384

  /// 422: the same action fails again if it is repeated.
  public var status: Int { 422 }

  /// A short summary for display.
  public var title: String { "The timer cannot be scheduled" }

  /// The rule that was violated.
  public var detail: String? {
    switch self {
    case .time: "Its time is beyond the year 9999."
    case .id: "Its id is not 1 to 128 of A-Z a-z 0-9 . _ ~ -, or it is . or .. ."
    case .period: "Its period is shorter than a millisecond."
    case .tooMany(let limit): "The session has \(limit) timers. Unschedule one first."
    case .action: "Its action has more than \(Self.actionLimit) bytes of JSON."
    case .privateValue: "Its action has a private value, which is not stored. Schedule one without."
    case .screen:
      "A screen has no timers. Report a step, and schedule an action for the screen in the flow."
    }
  }
}

extension TimerChange {
  /// The error of an invalid change, or `nil` if the change is valid.
  var error: TimerError? {
    guard Self.isValid(id: id) else { return .id }
    guard let timer else { return nil }
    guard timer.due <= .last else { return .time }
    guard timer.period?.wholeMilliseconds ?? 1 >= 1 else { return .period }
    return nil
  }

  /// Returns whether an id of a timer is valid.
  ///
  /// The id must be usable as one segment of a path.
  package static func isValid(id: String) -> Bool {
    (1...128).contains(id.utf8.count) && id.utf8.allSatisfy(isInID) && id != "." && id != ".."
  }

  private static func isInID(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

extension TimerChange.Timer {
  /// Returns the due time of the next repetition, or `nil` if there is no next repetition.
  package func next(at now: WallTime) -> WallTime? {
    guard let period else { return nil }
    return Self.next(after: due, period: period.wholeMilliseconds, catchesUp: catchesUp, at: now)
  }

  /// Returns the due time of the next repetition, without drift.
  ///
  /// - Parameters:
  ///   - due: The due time of the last repetition.
  ///   - period: The period in milliseconds; at least 1.
  ///   - catchesUp: Whether missed repetitions are returned as well.
  ///   - now: The current time.
  /// - Returns: The next time, or `nil` if it is beyond the year 9999, or the period is too short.
  package static func next(
    after due: WallTime, period: Int64, catchesUp: Bool, at now: WallTime
  ) -> WallTime? {
    guard period >= 1 else { return nil }
    let (late, isLonger) = now.milliseconds.subtractingReportingOverflow(due.milliseconds)
    // A stored due time can be any number: clamp the delay, so that one more period fits.
    let delay = catchesUp ? 0 : min(max(0, isLonger ? .max : late), .max - period)
    let (steps, tooMany) = (delay / period + 1).multipliedReportingOverflow(by: period)
    let (next, overflow) = due.milliseconds.addingReportingOverflow(steps)
    guard !tooMany, !overflow, next <= WallTime.last.milliseconds else { return nil }
    return WallTime(milliseconds: next)
  }
}

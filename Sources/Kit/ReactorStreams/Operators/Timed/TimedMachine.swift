/// The logic of an operator that depends on time, as a value.
///
/// It receives events with their time and returns the next step. It has no clock and no side
/// effects; ``TimedSink`` executes its steps.
package protocol TimedMachine<Input, Output>: Sendable {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  /// Returns the step at the start of the subscription.
  mutating func begin() -> TimedStep<Output>

  /// Returns the step after an event of the source.
  mutating func receive(_ event: Event<Input>, at now: Duration) -> TimedStep<Output>

  /// Returns the step after the timer that was set last has fired.
  mutating func timeOut(at now: Duration) -> TimedStep<Output>
}

extension TimedMachine {
  package mutating func begin() -> TimedStep<Output> {
    TimedStep()
  }
}

/// The next step of a timed operator: it emits events, then changes its timer.
package struct TimedStep<Output: Sendable> {
  package enum Timer {
    case unchanged
    case set(Duration)
    case stopped
  }

  package var events: [Event<Output>]
  package var timer: Timer

  package init(events: [Event<Output>] = [], timer: Timer = .unchanged) {
    self.events = events
    self.timer = timer
  }
}

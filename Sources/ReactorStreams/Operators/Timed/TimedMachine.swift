/// The decisions of an operator that depends on time, as a value: it receives events with their time
/// and returns what to do next.
///
/// It has no clock and no side effects; ``TimedSink`` executes its decisions.
protocol TimedMachine<Input, Output>: Sendable {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  /// The subscription starts.
  mutating func begin() -> TimedStep<Output>

  /// The source emitted an event.
  mutating func receive(_ event: Event<Input>, at now: Duration) -> TimedStep<Output>

  /// The timer that was set last has fired.
  mutating func timeOut(at now: Duration) -> TimedStep<Output>
}

extension TimedMachine {
  mutating func begin() -> TimedStep<Output> {
    TimedStep()
  }
}

/// The next action of a timed operator: it emits events, then changes its timer.
struct TimedStep<Output: Sendable> {
  enum Timer {
    case unchanged
    case set(Duration)
    case stopped
  }

  var events: [Event<Output>] = []
  var timer = Timer.unchanged
}

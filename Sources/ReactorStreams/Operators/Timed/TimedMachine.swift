/// What an operator decides that depends on time, as a value: told what happens and when, it says
/// what to do.
///
/// It owns no clock, and ``TimedSink`` does what it says.
protocol TimedMachine<Element>: Sendable {
  associatedtype Element: Sendable

  /// The subscription begins.
  mutating func begin() -> TimedStep<Element>

  /// The source emitted or ended.
  mutating func receive(_ event: Event<Element>, at now: Duration) -> TimedStep<Element>

  /// The time that was set last is over.
  mutating func timeOut(at now: Duration) -> TimedStep<Element>
}

extension TimedMachine {
  mutating func begin() -> TimedStep<Element> {
    TimedStep()
  }
}

/// What a timed operator does next: emits, then sets its timer or stops it.
struct TimedStep<Element: Sendable> {
  enum Timer {
    case unchanged
    case set(Duration)
    case stopped
  }

  var events: [Event<Element>] = []
  var timer = Timer.unchanged
}

extension ObservableType {
  /// Returns this stream's elements until a duration has passed.
  public func take(
    for duration: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(TakeFor(duration: duration), on: scheduler)
  }

  /// Returns this stream's elements after a duration has passed.
  public func skip(
    _ duration: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(SkipFor(duration: duration), on: scheduler)
  }
}

private struct TakeFor<Element: Sendable>: TimedMachine {
  let duration: Duration

  mutating func begin() -> TimedStep<Element> {
    TimedStep(timer: .set(duration))
  }

  mutating func receive(_ event: Event<Element>, at _: Duration) -> TimedStep<Element> {
    TimedStep(events: [event])
  }

  mutating func timeOut(at _: Duration) -> TimedStep<Element> {
    TimedStep(events: [.completed])
  }
}

private struct SkipFor<Element: Sendable>: TimedMachine {
  let duration: Duration
  var isOpen = false

  mutating func begin() -> TimedStep<Element> {
    TimedStep(timer: .set(duration))
  }

  mutating func receive(_ event: Event<Element>, at _: Duration) -> TimedStep<Element> {
    TimedStep(events: isOpen || event.isStopEvent ? [event] : [])
  }

  mutating func timeOut(at _: Duration) -> TimedStep<Element> {
    isOpen = true
    return TimedStep()
  }
}

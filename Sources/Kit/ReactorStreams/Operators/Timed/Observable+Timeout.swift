extension ObservableType {
  /// Returns this stream, failing with ``RxError/timeout`` if no event arrives within a duration.
  ///
  /// The subscription and each element restart the timer.
  public func timeout(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(Timeout(dueTime: dueTime, failure: RxError.timeout), on: scheduler)
  }

  /// Returns this stream, replaced by another stream if no event arrives within a duration.
  public func timeout(
    _ dueTime: Duration,
    other: some ObservableConvertibleType<Element>,
    scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(Timeout(dueTime: dueTime, failure: Elapsed()), on: scheduler).catch { error in
      guard error is Elapsed else { throw error }
      return other.asObservable()
    }
  }
}

/// The error of the timer, distinct from an error of the source.
private struct Elapsed: Error {}

private struct Timeout<Element: Sendable>: TimedMachine {
  let dueTime: Duration
  let failure: any Error

  mutating func begin() -> TimedStep<Element> {
    TimedStep(timer: .set(dueTime))
  }

  mutating func receive(_ event: Event<Element>, at _: Duration) -> TimedStep<Element> {
    TimedStep(events: [event], timer: .set(dueTime))
  }

  mutating func timeOut(at _: Duration) -> TimedStep<Element> {
    TimedStep(events: [.error(failure)])
  }
}

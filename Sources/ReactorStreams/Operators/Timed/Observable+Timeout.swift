extension ObservableType {
  /// This stream, which fails with ``RxError/timeout`` if no event arrives within a time.
  ///
  /// The subscription and each element start the timer.
  public func timeout(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(Timeout(dueTime: dueTime, failure: RxError.timeout), on: scheduler)
  }

  /// This stream, replaced by another one if no event arrives within a time.
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

/// The machine's own error, distinct from an error of the source.
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

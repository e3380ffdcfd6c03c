extension ObservableType {
  /// This stream; it fails with ``RxError/timeout`` when no event came for a time.
  ///
  /// The time begins with the subscription and anew with each element.
  public func timeout(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(Timeout(dueTime: dueTime, failure: RxError.timeout), on: scheduler)
  }

  /// This stream; another one takes its place when no event came for a time.
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

/// Tells a time that is over from a failure of the source.
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

extension ObservableType {
  /// Returns a stream of the elements that no other element follows within a duration.
  ///
  /// Each element restarts the timer. The completion emits the pending element immediately; an
  /// error drops it.
  public func debounce(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(Debounce(dueTime: dueTime), on: scheduler)
  }
}

private struct Debounce<Element: Sendable>: TimedMachine {
  let dueTime: Duration
  var pending: Element?

  mutating func receive(_ event: Event<Element>, at _: Duration) -> TimedStep<Element> {
    switch event {
    case .next(let element):
      pending = element
      return TimedStep(timer: .set(dueTime))
    case .error: return TimedStep(events: [event])
    case .completed: return TimedStep(events: takePending() + [event])
    }
  }

  mutating func timeOut(at _: Duration) -> TimedStep<Element> {
    TimedStep(events: takePending())
  }

  private mutating func takePending() -> [Event<Element>] {
    pending.take().map { [.next($0)] } ?? []
  }
}

extension ObservableType {
  /// The elements after which nothing came for a time.
  ///
  /// Each element restarts the time. The end of the stream sends the waiting element on at once; a
  /// failure drops it.
  public func debounce(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(Debounce(dueTime: dueTime), on: scheduler)
  }
}

private struct Debounce<Element: Sendable>: TimedMachine {
  let dueTime: Duration
  var waiting: Element?

  mutating func receive(_ event: Event<Element>, at _: Duration) -> TimedStep<Element> {
    switch event {
    case .next(let element):
      waiting = element
      return TimedStep(timer: .set(dueTime))
    case .error: return TimedStep(events: [event])
    case .completed: return TimedStep(events: takeWaiting() + [event])
    }
  }

  mutating func timeOut(at _: Duration) -> TimedStep<Element> {
    TimedStep(events: takeWaiting())
  }

  private mutating func takeWaiting() -> [Event<Element>] {
    waiting.take().map { [.next($0)] } ?? []
  }
}

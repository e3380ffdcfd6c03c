extension ObservableType {
  /// At most one element in a time: the first at once, and none within the time after one was sent.
  ///
  /// - Parameters:
  ///   - dueTime: The time between two elements.
  ///   - latest: Whether the newest element that came within a time is sent at its end. The end of
  ///     the stream waits for it; a failure drops it.
  ///   - scheduler: Whose time counts.
  /// - Returns: The throttled stream.
  public func throttle(
    _ dueTime: Duration, latest: Bool = true, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(Throttle(dueTime: dueTime, latest: latest), on: scheduler)
  }
}

private struct Throttle<Element: Sendable>: TimedMachine {
  let dueTime: Duration
  let latest: Bool
  var lastSent: Duration?
  var waiting: Element?
  var isCompleted = false

  mutating func receive(_ event: Event<Element>, at now: Duration) -> TimedStep<Element> {
    switch event {
    case .next(let element):
      let rest = lastSent.map { dueTime - (now - $0) } ?? .zero
      guard rest > .zero else {
        waiting = nil
        lastSent = now
        return TimedStep(events: [event], timer: .stopped)
      }
      guard latest else { return TimedStep() }
      defer { waiting = element }
      return TimedStep(timer: waiting == nil ? .set(rest) : .unchanged)
    case .error:
      return TimedStep(events: [event])
    case .completed:
      guard waiting != nil else { return TimedStep(events: [event]) }
      isCompleted = true
      return TimedStep()
    }
  }

  mutating func timeOut(at now: Duration) -> TimedStep<Element> {
    var step = TimedStep<Element>()
    if let element = waiting.take() {
      lastSent = now
      step.events.append(.next(element))
    }
    if isCompleted { step.events.append(.completed) }
    return step
  }
}

extension ObservableType {
  /// Returns at most one of this stream's elements per duration: the first element immediately,
  /// then no element until the duration has passed.
  ///
  /// - Parameters:
  ///   - dueTime: The minimum time between two elements.
  ///   - latest: Whether the latest element that arrived within the duration is emitted at its end.
  ///     The completion waits for it; an error drops it.
  ///   - scheduler: The scheduler that measures the time.
  /// - Returns: The throttled stream.
  public func throttle(
    _ dueTime: Duration, latest: Bool = true, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(Throttle(dueTime: dueTime.clamped, latest: latest), on: scheduler)
  }
}

private struct Throttle<Element: Sendable>: TimedMachine {
  let dueTime: Duration
  let latest: Bool
  var lastEmitted: Duration?
  var pending: Element?
  var isCompleted = false

  mutating func receive(_ event: Event<Element>, at now: Duration) -> TimedStep<Element> {
    switch event {
    case .next(let element):
      let rest = lastEmitted.map { dueTime - (now - $0) } ?? .zero
      guard rest > .zero else {
        pending = nil
        lastEmitted = now
        return TimedStep(events: [event], timer: .stopped)
      }
      guard latest else { return TimedStep() }
      defer { pending = element }
      return TimedStep(timer: pending == nil ? .set(rest) : .unchanged)
    case .error:
      return TimedStep(events: [event])
    case .completed:
      guard pending != nil else { return TimedStep(events: [event]) }
      isCompleted = true
      return TimedStep()
    }
  }

  mutating func timeOut(at now: Duration) -> TimedStep<Element> {
    var step = TimedStep<Element>()
    if let element = pending.take() {
      lastEmitted = now
      step.events.append(.next(element))
    }
    if isCompleted { step.events.append(.completed) }
    return step
  }
}

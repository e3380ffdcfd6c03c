extension ObservableType {
  /// Returns this stream with its elements and its completion delayed by a duration.
  ///
  /// An error is not delayed.
  ///
  /// Delayed events are stored, without a limit.
  public func delay(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timed(Delay(dueTime: dueTime.clamped), on: scheduler)
  }

  /// Returns this stream with its subscription delayed by a duration.
  public func delaySubscription(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> {
    let source = guarded()
    return Observable { downstream in
      let subscription = SingleAssignmentDisposable()
      let timer = scheduler.resolved.schedule(after: dueTime) {
        guard !subscription.isDisposed else { return }
        subscription.setDisposable(source.attach(downstream))
      }
      return Disposables.create(timer, subscription)
    }.guarded()
  }
}

private struct Delay<Element: Sendable>: TimedMachine {
  let dueTime: Duration
  var waiting = Fifo<(event: Event<Element>, due: Duration)>()

  mutating func receive(_ event: Event<Element>, at now: Duration) -> TimedStep<Element> {
    if case .error = event { return TimedStep(events: [event]) }
    defer { waiting.append((event, now + dueTime)) }
    return TimedStep(timer: waiting.isEmpty ? .set(dueTime) : .unchanged)
  }

  mutating func timeOut(at now: Duration) -> TimedStep<Element> {
    var step = TimedStep<Element>()
    while let first = waiting.first {
      guard first.due <= now else {
        step.timer = .set(first.due - now)
        break
      }
      _ = waiting.popFirst()
      step.events.append(first.event)
    }
    return step
  }
}

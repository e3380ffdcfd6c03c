extension Observable where Element: FixedWidthInteger {
  /// Returns a stream of 0, 1, 2, …, one element per period after the subscription.
  ///
  /// The stream wraps around after the type's maximum. Due times are multiples of the period since
  /// the subscription, so that a late element does not delay the next elements. If several are late,
  /// for example after the process was suspended, they follow each other without a pause.
  public static func interval(
    _ period: Duration, scheduler: any SchedulerType = TaskScheduler.instance
  ) -> Observable<Element> {
    timer(period, period: period, scheduler: scheduler)
  }

  /// Returns a stream that emits 0 after a delay and then completes.
  ///
  /// With a period, it continues to count instead.
  public static func timer(
    _ dueTime: Duration, period: Duration? = nil,
    scheduler: any SchedulerType = TaskScheduler.instance
  ) -> Observable<Element> {
    let (dueTime, period) = (dueTime.clamped, period?.clamped)
    return create { observer in
      let scheduler = scheduler.resolved
      let timer = SerialDisposable()
      // The minimum delay. It is positive, because a scheduler can execute work without a delay
      // before `schedule` returns.
      let shortest = Duration.nanoseconds(1)

      @Sendable func arm(_ element: Element, due: Duration) {
        // Assign the disposable before the work is scheduled: another thread can execute the work,
        // and arm the next timer, before `schedule` returns.
        let scheduled = SingleAssignmentDisposable()
        timer.disposable = scheduled
        scheduled.setDisposable(
          scheduler.schedule(after: max(shortest, due - scheduler.now)) {
            observer.onNext(element)
            guard let period else { return observer.onCompleted() }
            guard !timer.isDisposed else { return }
            arm(element &+ 1, due: due + period)
          })
      }

      arm(0, due: scheduler.now + dueTime)
      return timer
    }
  }
}

extension Observable where Element: FixedWidthInteger {
  /// A stream of 0, 1, 2, …, one element per period after the subscription.
  ///
  /// It wraps around after the type's maximum. Due times are multiples of the period since the
  /// subscription, so that a late element does not delay its successors.
  public static func interval(
    _ period: Duration, scheduler: any SchedulerType = TaskScheduler.instance
  ) -> Observable<Element> {
    timer(period, period: period, scheduler: scheduler)
  }

  /// A stream that emits 0 after a time and then completes; with a period, it continues to count.
  public static func timer(
    _ dueTime: Duration, period: Duration? = nil,
    scheduler: any SchedulerType = TaskScheduler.instance
  ) -> Observable<Element> {
    create { observer in
      let scheduler = scheduler.resolved
      let timer = SerialDisposable()
      // A scheduler may execute work that is due at once in place.
      let shortest = Duration.nanoseconds(1)

      @Sendable func arm(_ element: Element, due: Duration) {
        // Assigned before the work is scheduled, because the work may execute, and arm its
        // successor, before `schedule` returns.
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

extension Observable where Element: FixedWidthInteger {
  /// A stream of 0, 1, 2, … with a period between subscription and the first element, and between
  /// any two.
  ///
  /// It wraps after the type's largest number.
  ///
  /// The period is kept from the moment of subscription on, so that a late element does not delay
  /// those after it.
  public static func interval(
    _ period: Duration, scheduler: any SchedulerType = TaskScheduler.instance
  ) -> Observable<Element> {
    timer(period, period: period, scheduler: scheduler)
  }

  /// A stream of one 0, after a time; with a period, of 0, 1, 2, … from then on.
  public static func timer(
    _ dueTime: Duration, period: Duration? = nil,
    scheduler: any SchedulerType = TaskScheduler.instance
  ) -> Observable<Element> {
    create { observer in
      let scheduler = scheduler.resolved
      let timer = SerialDisposable()
      let shortest = Duration.nanoseconds(1)  // a scheduler may run what is due at once in place

      @Sendable func arm(_ element: Element, due: Duration) {
        // In its place before the work is scheduled: the work may run, and arm the next one, before
        // whoever scheduled it has got hold of what ends it.
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

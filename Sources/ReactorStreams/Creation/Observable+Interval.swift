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
    create { observer in
      let timer = SerialDisposable()
      let start = scheduler.now

      @Sendable func arm(_ element: Element, due: Duration) {
        timer.disposable = scheduler.schedule(after: due - scheduler.now) {
          observer.onNext(element)
          guard !timer.isDisposed else { return }
          arm(element &+ 1, due: due + period)
        }
      }

      arm(0, due: start + period)
      return timer
    }
  }

  /// A stream of one 0, after a time.
  public static func timer(
    _ dueTime: Duration, scheduler: any SchedulerType = TaskScheduler.instance
  ) -> Observable<Element> {
    create { observer in
      scheduler.schedule(after: dueTime) {
        observer.onNext(0)
        observer.onCompleted()
      }
    }
  }
}

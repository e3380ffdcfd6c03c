extension SchedulerType {
  /// Executes work periodically.
  ///
  /// - Parameters:
  ///   - state: The first state.
  ///   - startAfter: The delay of the first execution.
  ///   - period: The time between two executions.
  ///   - action: Returns the next state.
  /// - Returns: A disposable that cancels the work.
  public func schedulePeriodic<State: Sendable>(
    _ state: State, startAfter: Duration, period: Duration,
    action: @escaping @Sendable (State) -> State
  ) -> any Disposable {
    let current = Box(state)
    return Observable<Int>.timer(startAfter, period: period, scheduler: self)
      .subscribe(onNext: { _ in
        let next = action(current.value)
        current.withLock { $0 = next }
      })
  }
}

internal import Synchronization

extension ObservableType {
  /// Returns this stream with its events delivered by a scheduler, in order and one at a time, even
  /// if the scheduler executes work concurrently.
  ///
  /// Events that arrive faster than they are delivered are stored, without a limit.
  public func observe(on scheduler: any SchedulerType) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      let sink = ObserveOnSink(downstream, scheduler: scheduler.resolved)
      sink.hold(source.attach(sink))
      return sink
    }
  }

  /// Returns this stream with its subscription started and disposed of by a scheduler.
  public func subscribe(on scheduler: any SchedulerType) -> Observable<Element> {
    let source = guarded()
    return Observable { downstream in
      let scheduler = scheduler.resolved
      let subscription = SerialDisposable()
      let waiting = SingleAssignmentDisposable()
      subscription.disposable = waiting
      waiting.setDisposable(
        scheduler.schedule(after: .zero) {
          subscription.disposable = ScheduledDisposable(
            scheduler: scheduler, disposable: source.attach(downstream))
        })
      return subscription
    }.guarded()
  }
}

/// Stores events until its scheduler delivers them; at most one delivery is scheduled at a time.
private final class ObserveOnSink<Element: Sendable>: ObserverType, Disposable {
  private struct State {
    var isScheduled = false
    var waiting: [Event<Element>] = []
    /// The storage of the previous batch, for the next one.
    var spare: [Event<Element>] = []
  }

  private let downstream: any ObserverType<Element>
  private let scheduler: any SchedulerType
  private let queue: (any WorkQueue)?
  private let stopped = Atomic<Bool>(false)
  private let upstream = DisposableSlot()
  private let state = Mutex(State())

  init(_ downstream: any ObserverType<Element>, scheduler: any SchedulerType) {
    self.downstream = downstream
    self.scheduler = scheduler
    queue = scheduler as? any WorkQueue
  }

  func hold(_ disposable: any Disposable) {
    upstream.set(disposable)
  }

  func on(_ event: Event<Element>) {
    guard !stopped.load(ordering: .acquiring) else { return }
    let mustSchedule = state.withLock { state in
      state.waiting.append(event)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { schedule() }
  }

  func dispose() {
    stopped.store(true, ordering: .releasing)
    upstream.dispose()
  }

  private func schedule() {
    if let queue { return queue.execute { [self] in deliver() } }
    scheduler.schedule(after: .zero) { [self] in deliver() }
  }

  private func deliver() {
    var batch = state.withLock { state in
      let batch = state.waiting
      state.waiting = state.spare
      state.spare = []
      return batch
    }
    for index in batch.indices {
      let event = batch[index]
      guard !stopped.load(ordering: .acquiring) else { return }
      guard event.isStopEvent else {
        downstream.on(event)
        continue
      }
      stopped.store(true, ordering: .releasing)
      downstream.on(event)
      return upstream.dispose()
    }
    // Events that arrived during the delivery are delivered by another scheduled job, so that a
    // busy stream does not monopolize the scheduler.
    batch.removeAll(keepingCapacity: batch.capacity <= 64)
    let mustSchedule = state.withLock { state in
      state.spare = batch
      state.isScheduled = !state.waiting.isEmpty
      return state.isScheduled
    }
    if mustSchedule { schedule() }
  }
}

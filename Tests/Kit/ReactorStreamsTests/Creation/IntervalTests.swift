import ReactorStreams
import StreamTestSupport
import Synchronization
import Testing

/// An interval on schedulers that execute work before `schedule` returns.
@Suite struct IntervalTests {
  /// Executes the first work before `schedule` returns, as another thread can do while the
  /// scheduling thread is suspended.
  private final class HastyScheduler: SchedulerType {
    private struct State {
      var isFirst = true
      var scheduled: [(work: @Sendable () -> Void, handle: SingleAssignmentDisposable)] = []
    }

    private let state = Mutex(State())
    let now = Duration.zero

    func schedule(
      after delay: Duration, _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
      let handle = SingleAssignmentDisposable()
      let isFirst = state.withLock { state in
        defer { state.isFirst = false }
        if !state.isFirst { state.scheduled.append((work, handle)) }
        return state.isFirst
      }
      if isFirst { work() }
      return handle
    }

    /// Executes the scheduled work that was not disposed of.
    func run() {
      let due = state.withLock { state in
        defer { state.scheduled = [] }
        return state.scheduled
      }
      for item in due where !item.handle.isDisposed { item.work() }
    }
  }

  @Test func `an interval continues if its work executes before schedule returns`() {
    let scheduler = HastyScheduler()
    let log = Log<Int>()
    let subscription = Observable<Int>.interval(.seconds(1), scheduler: scheduler)
      .subscribe(onNext: { log.append($0) })
    #expect(log.entries == [0])
    scheduler.run()
    scheduler.run()
    #expect(log.entries == [0, 1, 2])
    subscription.dispose()
    scheduler.run()
    #expect(log.entries == [0, 1, 2])
  }
}

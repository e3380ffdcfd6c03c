internal import Synchronization

/// Scheduled work: executed at most once, and never after it was disposed.
package final class ScheduledJob: Disposable, TrampolineJob {
  private let work: Mutex<(@Sendable () -> Void)?>
  private let timer = DisposableSlot()

  package init(_ work: @escaping @Sendable () -> Void) {
    self.work = Mutex(work)
  }

  /// Stores the timer that will execute this job.
  package func hold(_ disposable: any Disposable) {
    timer.set(disposable)
  }

  package func run() {
    work.withLock { $0.take() }?()
  }

  package func dispose() {
    _ = work.withLock { $0.take() }
    timer.dispose()
  }
}

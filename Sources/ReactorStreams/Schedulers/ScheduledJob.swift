internal import Synchronization

// Proof: the properties are constants that are safe to share.
/// Scheduled work: executed at most once, and never after it was disposed.
package final class ScheduledJob: TrampolineJob, Disposable, @unchecked Sendable {
  private let work: Mutex<(@Sendable () -> Void)?>
  private let timer = DisposableSlot()

  package init(_ work: @escaping @Sendable () -> Void) {
    self.work = Mutex(work)
  }

  /// Stores the timer that will execute this job.
  package func hold(_ disposable: any Disposable) {
    timer.set(disposable)
  }

  package override func execute() {
    work.withLock { $0.take() }?()
  }

  package func dispose() {
    _ = work.withLock { $0.take() }
    timer.dispose()
  }
}

internal import Synchronization

// Proof: the properties are constants that are safe to share.
/// Scheduled work.
///
/// It is executed at most once, and not after it was disposed of.
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

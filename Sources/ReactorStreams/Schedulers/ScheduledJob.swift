internal import Synchronization

/// One piece of scheduled work: runs at most once, and never after it was disposed.
package final class ScheduledJob: Disposable {
  private let work: Mutex<(@Sendable () -> Void)?>
  private let timer = DisposableSlot()

  package init(_ work: @escaping @Sendable () -> Void) {
    self.work = Mutex(work)
  }

  /// Keeps what brings this job to its scheduler.
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

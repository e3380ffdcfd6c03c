import Glibc
import Synchronization

/// A thread of a test, which can block, unlike a task.
final class OtherThread: Sendable {
  private let finished = Gate()

  /// Executes work on a new thread.
  init(_ work: @escaping @Sendable () -> Void) {
    let finished = finished
    let body = Unmanaged.passRetained(
      ThreadBody {
        work()
        finished.open()
      })
    var thread = pthread_t()
    let created = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    precondition(created == 0)
    pthread_detach(thread)
  }

  /// Waits until the work is done.
  func join() {
    finished.wait()
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}

/// Blocks threads until it is opened.
final class Gate: Sendable {
  private let isOpen = Atomic(false)

  func open() {
    isOpen.store(true, ordering: .releasing)
  }

  func wait() {
    while !isOpen.load(ordering: .acquiring) { sched_yield() }
  }
}

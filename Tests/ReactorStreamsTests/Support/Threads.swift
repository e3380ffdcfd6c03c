import Glibc
import Synchronization

/// Runs a body on several threads of its own, all at the same time, and returns when all are done.
///
/// Threads, not tasks: what is tested must also hold where more threads come than there are cores, and
/// a body may block.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let start = StartLine(count: count)
  let threads = (0..<count).map { index in
    Thread {
      start.wait()
      body(index)
    }
  }
  for thread in threads { thread.join() }
}

/// Lets threads go when all have come.
private final class StartLine: Sendable {
  private let missing: Atomic<Int>

  init(count: Int) {
    missing = Atomic(count)
  }

  func wait() {
    missing.subtract(1, ordering: .acquiringAndReleasing)
    while missing.load(ordering: .acquiring) > 0 { sched_yield() }
  }
}

/// A thread of the system.
private struct Thread {
  private final class Body {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  private let handle: pthread_t

  init(_ run: @escaping @Sendable () -> Void) {
    var handle = pthread_t()
    // The thread takes the body over and lets it go when it has run.
    let body = Unmanaged.passRetained(Body(run)).toOpaque()
    let code = pthread_create(
      &handle, nil,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, body)
    precondition(code == 0, "pthread_create failed with \(code)")
    self.handle = handle
  }

  func join() {
    pthread_join(handle, nil)
  }
}

import Glibc
import Synchronization

/// Calls a closure on several new threads simultaneously, and returns when all calls have returned.
///
/// Threads rather than tasks, because a test needs more threads than cores, and the closure may block.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let start = StartLine(count: count)
  let threads = (0..<count).map { index in
    Thread {
      start.wait()
      body(index)
    }
  }
  for thread in threads { thread.join() }
}

/// Releases threads when all have arrived.
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
    // The thread owns the closure and releases it after the call.
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

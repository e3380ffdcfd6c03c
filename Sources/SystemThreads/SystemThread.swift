internal import Glibc

/// A thread of the system's own.
///
/// Whoever blocks, in `epoll` or at a disk, must not take a thread from Swift's pool, which has as
/// many as there are cores. A thread that is dropped without ``join()`` runs on until its work is
/// done.
package struct SystemThread: ~Copyable, Sendable {
  private let handle: pthread_t

  /// Starts a thread, or gives `nil` where the system gives none.
  ///
  /// - Parameters:
  ///   - name: What `top -H` shows, at most 15 bytes.
  ///   - body: What it does.
  package init?(named name: String, _ body: @escaping @Sendable () -> Void) {
    // Released by the thread itself when it starts, or here when there is none.
    let context = unsafe Unmanaged.passRetained(
      Body {
        Self.nameThisThread(name)
        body()
      })
    var handle = pthread_t()
    let failure = unsafe pthread_create(
      &handle, nil,
      { context in
        if let context = unsafe context {
          unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        }
        return nil
      }, context.toOpaque())
    guard failure == 0 else {
      unsafe context.release()
      return nil
    }
    self.handle = handle
  }

  deinit { pthread_detach(handle) }

  /// Blocks until the thread has ended.
  package consuming func join() {
    _ = pthread_join(handle, nil)
    discard self
  }

  // `pthread_setname_np` is an extension which Swift's import of the C library hides.
  private static func nameThisThread(_ name: String) {
    let descriptor = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = unsafe write(descriptor, name, name.utf8.count)
    close(descriptor)
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

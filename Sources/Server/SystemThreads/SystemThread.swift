internal import Glibc

/// A POSIX thread.
///
/// For work that blocks, in `epoll` or on a disk: it must not occupy a thread of Swift's cooperative
/// pool, which has one thread per core. A thread that is dropped without ``join()`` is detached.
package struct SystemThread: ~Copyable, Sendable {
  private let handle: pthread_t

  /// Starts a thread, or returns `nil` if the system cannot create one.
  ///
  /// - Parameters:
  ///   - name: The name that `top -H` shows; Linux truncates it to 15 bytes.
  ///   - niceness: The niceness of the thread: on Linux each thread has its own (setpriority(2)).
  ///   - body: The function that the thread executes.
  package init?(
    named name: String, niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void
  ) {
    // Released by the thread when it starts, or below if it does not.
    let context = unsafe Unmanaged.passRetained(
      Body {
        Self.nameThisThread(name)
        if niceness > 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
        body()
      })
    var handle = pthread_t()
    let failure = unsafe pthread_create(
      &handle, nil,
      { context in
        if let context = unsafe context {
          unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().function()
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

  // `pthread_setname_np` is a GNU extension that Swift's Glibc module does not import.
  private static func nameThisThread(_ name: String) {
    let descriptor = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = unsafe write(descriptor, name, name.utf8.count)
    close(descriptor)
  }

  private final class Body: Sendable {
    let function: @Sendable () -> Void
    init(_ function: @escaping @Sendable () -> Void) { self.function = function }
  }
}

internal import Glibc

/// A thread of the system's own: a disk makes its callers wait, which must not take a thread from
/// Swift's pool.
enum SystemThread {
  /// Starts a thread that nobody joins.
  ///
  /// - Parameters:
  ///   - name: What `top -H` shows, at most 15 bytes.
  ///   - body: What it does.
  /// - Returns: Whether the system gave a thread.
  static func start(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    // Released by the thread itself when it starts, or here when there is none.
    let context = unsafe Unmanaged.passRetained(
      Body {
        Self.name(name)
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
      return false
    }
    pthread_detach(handle)
    return true
  }

  // The function that names threads is an extension which Swift's import of the C library hides.
  private static func name(_ name: String) {
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

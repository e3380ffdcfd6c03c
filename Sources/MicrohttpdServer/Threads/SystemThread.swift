internal import CLinuxEvents
internal import Glibc

/// A thread of the system's: loops that block must not take one from Swift's pool.
struct SystemThread: ~Copyable, Sendable {
  private let handle: pthread_t

  /// Starts a thread.
  ///
  /// The name is what `top -H` shows, at most 15 bytes.
  init(named name: String, _ body: @escaping @Sendable () -> Void) throws(ServerError) {
    // Released by the thread itself when it starts, or here when there is none.
    let context = unsafe Unmanaged.passRetained(Body(run: body))
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
      throw ServerError(.noResources, "The system gave no thread.")
    }
    _ = unsafe pthread_setname_np(handle, name)
    self.handle = handle
  }

  /// Blocks until the thread has ended.
  consuming func join() { _ = pthread_join(handle, nil) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

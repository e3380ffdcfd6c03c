internal import Glibc

/// A thread of a test.
struct TestThread {
  private let handle: pthread_t

  init(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(body))
    var handle = pthread_t()
    pthread_create(
      &handle, nil,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    self.handle = handle
  }

  /// Blocks until it has ended.
  ///
  /// Call either this or `detach()`.
  func join() { pthread_join(handle, nil) }

  /// Detaches the thread.
  func detach() { pthread_detach(handle) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

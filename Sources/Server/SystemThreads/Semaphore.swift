internal import Glibc

/// A counting semaphore whose timeouts follow the monotonic clock.
///
/// POSIX semaphores measure timeouts on the wall clock, which can be set.
@safe @usableFromInline
package final class Semaphore: ThreadWaking {
  @unsafe private struct Storage {
    var lock = unsafe pthread_mutex_t()
    var condition = pthread_cond_t()
    var count = 0
  }

  // Proof: the pointer is set once and freed in `deinit`; the lock and the condition may be used by
  // several threads at once, and the count is only accessed under the lock.
  private nonisolated(unsafe) let storage: UnsafeMutablePointer<Storage>

  /// Creates a semaphore with the count 0.
  @usableFromInline
  package init() {
    unsafe storage = .allocate(capacity: 1)
    unsafe storage.initialize(to: unsafe Storage())
    unsafe pthread_mutex_init(&storage.pointee.lock, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(&storage.pointee.condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(&storage.pointee.condition)
    unsafe pthread_mutex_destroy(&storage.pointee.lock)
    unsafe storage.deallocate()
  }

  /// Increments the count and wakes one waiting thread.
  package func signal() {
    unsafe pthread_mutex_lock(&storage.pointee.lock)
    unsafe storage.pointee.count += 1
    unsafe pthread_mutex_unlock(&storage.pointee.lock)
    // Signal after the lock is released: the woken thread acquires the lock first, and would block
    // again if this thread still held it.
    unsafe pthread_cond_signal(&storage.pointee.condition)
  }

  @usableFromInline
  package func wake() { signal() }

  /// Decrements the count, and blocks while it is 0.
  package func wait() {
    while !wait(seconds: 86_400) {}
  }

  /// Decrements the count, and blocks while it is 0.
  ///
  /// - Returns: `false` if the time passed first.
  @discardableResult @usableFromInline
  package func wait(seconds: Int) -> Bool { wait(for: .seconds(min(seconds, 1_000_000_000))) }

  /// Decrements the count, and blocks while it is 0.
  ///
  /// - Parameter time: The maximum time, less than 100 years.
  /// - Returns: `false` if the time passed first.
  @discardableResult @usableFromInline
  package func wait(for time: Duration) -> Bool {
    var deadline = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
    let nanoseconds = deadline.tv_nsec + Int(time.components.attoseconds / 1_000_000_000)
    deadline.tv_sec += Int(time.components.seconds) + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    unsafe pthread_mutex_lock(&storage.pointee.lock)
    defer { unsafe pthread_mutex_unlock(&storage.pointee.lock) }
    while unsafe storage.pointee.count == 0 {
      let code = unsafe pthread_cond_timedwait(
        &storage.pointee.condition, &storage.pointee.lock, &deadline)
      guard code == 0 else { return false }
    }
    unsafe storage.pointee.count -= 1
    return true
  }
}

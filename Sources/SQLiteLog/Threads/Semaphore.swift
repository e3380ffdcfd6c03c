internal import Glibc

/// Lets a thread wait until another one says go on.
///
/// Not a semaphore of the system: that one's time is the clock's on the wall, which may be set.
@safe
final class Semaphore: Sendable {
  @unsafe private struct Parts {
    var lock = unsafe pthread_mutex_t()
    var bell = pthread_cond_t()
    var signals = 0
  }

  // Proof: the address is set once and freed with the object; what it points to is made for being
  // used by several threads at once, and the count is touched under its lock only.
  private nonisolated(unsafe) let parts: UnsafeMutablePointer<Parts>

  init() {
    unsafe parts = .allocate(capacity: 1)
    unsafe parts.initialize(to: unsafe Parts())
    unsafe pthread_mutex_init(&parts.pointee.lock, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(&parts.pointee.bell, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(&parts.pointee.bell)
    unsafe pthread_mutex_destroy(&parts.pointee.lock)
    unsafe parts.deallocate()
  }

  /// Lets one waiting thread go on, now or when it comes.
  func signal() {
    unsafe pthread_mutex_lock(&parts.pointee.lock)
    unsafe parts.pointee.signals += 1
    unsafe pthread_mutex_unlock(&parts.pointee.lock)
    // Without the lock, which the woken thread takes first of all: on the same processor it would
    // wake only to wait for it.
    unsafe pthread_cond_signal(&parts.pointee.bell)
  }

  /// Waits for a signal, however long it takes.
  func wait() {
    while !wait(seconds: 86_400) {}
  }

  /// Waits for a signal, for some seconds at most, and says whether it came.
  @discardableResult
  func wait(seconds: Int) -> Bool {
    var deadline = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
    deadline.tv_sec += min(seconds, 1_000_000_000)
    unsafe pthread_mutex_lock(&parts.pointee.lock)
    defer { unsafe pthread_mutex_unlock(&parts.pointee.lock) }
    while unsafe parts.pointee.signals == 0 {
      let code = unsafe pthread_cond_timedwait(
        &parts.pointee.bell, &parts.pointee.lock, &deadline)
      guard code == 0 else { return false }
    }
    unsafe parts.pointee.signals -= 1
    return true
  }
}

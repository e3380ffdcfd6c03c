internal import Glibc

/// Lets a thread wait until another one says go on.
@safe
final class Semaphore: Sendable {
  // Proof: the address is set once and freed with the object; what it points to is made for being
  // used by several threads at once.
  private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    unsafe semaphore = .allocate(capacity: 1)
    unsafe sem_init(semaphore, 0, 0)
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  /// Lets one waiting thread go on, now or when it comes.
  func signal() { unsafe sem_post(semaphore) }

  /// Waits for a signal, for some seconds at most, and says whether it came.
  ///
  /// The clock of the wall counts them: where it jumps, they are more or fewer.
  @discardableResult
  func wait(seconds: Int) -> Bool {
    var deadline = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &deadline)
    deadline.tv_sec += min(seconds, 1_000_000_000)
    while unsafe sem_timedwait(semaphore, &deadline) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}

/*
 * Annotates the contended path of Swift's Mutex for ThreadSanitizer.
 *
 * Synchronization.Mutex locks and unlocks with inlined atomics, which ThreadSanitizer instruments. Under
 * contention it calls the standard library, which is not instrumented and waits in the kernel, so that
 * ThreadSanitizer (Swift 6.3) reports every contended Mutex as a race. This preloaded library adds the
 * missing happens-before edges. Other races are still reported.
 *
 *   clang -shared -fPIC -o tsan-mutex.so config/thread-sanitizer-mutex.c -ldl
 *   swift build --build-tests --sanitize=thread
 *   LD_PRELOAD=$PWD/tsan-mutex.so swift test --skip-build --sanitize=thread
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

/* Synchronization._MutexHandle._lockSlow(Swift.UInt32), _tryLockSlow() -> Swift.Bool and _unlockSlow() */
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

/* Weak: in a process without ThreadSanitizer this changes nothing. */
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void (*lock_function)(uint32_t thread, SELF mutex);
typedef SWIFT bool (*try_lock_function)(SELF mutex);
typedef SWIFT void (*unlock_function)(SELF mutex);

SWIFT void lock_slow(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF mutex) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF mutex) {
  lock_function original = (lock_function)dlsym(RTLD_NEXT, LOCK);
  original(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF mutex) {
  try_lock_function original = (try_lock_function)dlsym(RTLD_NEXT, TRY_LOCK);
  bool is_locked = original(mutex);
  if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
  return is_locked;
}

SWIFT void unlock_slow(SELF mutex) {
  unlock_function original = (unlock_function)dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(mutex);
  original(mutex);
}

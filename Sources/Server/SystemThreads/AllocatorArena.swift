internal import CLinuxEvents
internal import Glibc

/// The memory from which the C library's allocator serves threads.
package enum AllocatorArena {
  /// Shares one arena among all threads, unless the environment sets `MALLOC_ARENA_MAX`.
  ///
  /// By default a thread gets an arena of its own, which grows by one system call per page of 4 KiB: a
  /// call for every second session in memory. The shared arena grows by 128 KiB. Few threads of the
  /// service allocate at the same time, and a cache per thread serves most allocations without a lock.
  ///
  /// Must be called before other threads allocate; they retain their arenas.
  package static func share() {
    guard unsafe getenv("MALLOC_ARENA_MAX") == nil else { return }
    _ = mallopt(M_ARENA_MAX, 1)
  }
}

internal import CLinuxEvents
internal import Glibc

/// Returns freed memory to the system.
///
/// After a burst the allocator retains the freed memory, because pages in the middle of its heap
/// are only returned on request.
package enum FreedMemory {
  /// Starts a thread that checks the resident memory every 10 seconds, see ``TrimPolicy``.
  package static func startReturning() {
    _ = SystemThread(named: "memory") {
      let never = Semaphore()
      var policy = TrimPolicy(baseline: residentBytes)
      while !never.wait(seconds: 10) {
        guard policy.shouldTrim(resident: residentBytes) else { continue }
        trim()
        policy.trimmed(to: residentBytes)
      }
    }
  }

  /// Returns all free pages of all arenas.
  package static func trim() { _ = malloc_trim(0) }

  /// The resident memory of the process.
  package static var residentBytes: Int {
    let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = unsafe read(descriptor, &text, text.count)
    // The second field is the number of resident pages.
    let fields = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
    guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else {
      return 0
    }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}

/// Decides when to return freed memory: after growth, and less often while trims return little.
///
/// Pure.
package struct TrimPolicy {
  /// The growth in bytes below which memory is not trimmed, because a trim walks the heap.
  private static let growth = 8 << 20
  private static let longestPause = 64

  private var baseline: Int
  private var before = 0
  /// The number of checks between two trims, and the number of checks until the next trim.
  private var pause = 1
  private var remaining = 0

  /// Creates a policy.
  ///
  /// - Parameter baseline: The resident memory at the start; a burst can occur before the first
  ///   check.
  package init(baseline: Int) {
    self.baseline = baseline
  }

  /// Returns whether to trim memory; called at regular intervals.
  package mutating func shouldTrim(resident: Int) -> Bool {
    baseline = min(baseline, resident)
    before = resident
    if resident - baseline < Self.growth {
      (pause, remaining) = (1, 0)
      return false
    }
    remaining -= 1
    return remaining <= 0
  }

  /// Records that memory was trimmed; an ineffective trim doubles the pause before the next one.
  package mutating func trimmed(to resident: Int) {
    let isEffective = before - resident >= (before - baseline) / 8
    pause = isEffective ? 1 : min(pause * 2, Self.longestPause)
    remaining = pause
  }
}

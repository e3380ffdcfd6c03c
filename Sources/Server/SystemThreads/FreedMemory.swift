internal import CLinuxEvents
internal import Glibc

/// Returns freed memory to the system.
///
/// After a burst the allocator retains the freed memory, because pages in the middle of its heap
/// are only returned on request.
package enum FreedMemory {
  /// Starts a thread that checks the memory every 10 seconds, see ``TrimPolicy``.
  package static func startReturning() {
    _ = SystemThread(named: "memory") {
      let never = Semaphore()
      var policy = TrimPolicy(unused: residentBytes - allocatedBytes)
      while !never.wait(seconds: 10) {
        let allocated = allocatedBytes
        guard policy.shouldTrim(unused: residentBytes - allocated, besides: allocated) else {
          continue
        }
        trim()
        policy.trimmed(to: residentBytes - allocatedBytes)
      }
    }
  }

  /// The bytes of the allocations.
  private static var allocatedBytes: Int {
    let heap = mallinfo2()
    return Int(heap.uordblks + heap.hblkhd)
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

/// Decides when to return freed memory: after growth of the memory that holds no allocation.
///
/// A trim that returns little is not repeated before further growth. Pure.
package struct TrimPolicy {
  /// The growth in bytes below which memory is not trimmed.
  private static let growth = 2 << 20

  private var baseline: Int

  /// Creates a policy.
  ///
  /// - Parameter unused: The resident bytes without allocations at the start: code, stacks, and what was freed.
  package init(unused: Int) {
    baseline = unused
  }

  /// Returns whether to trim memory; called at regular intervals.
  ///
  /// A trim walks the heap: the larger the heap, the more growth it takes.
  package mutating func shouldTrim(unused: Int, besides allocated: Int) -> Bool {
    baseline = min(baseline, unused)
    return unused - baseline >= max(Self.growth, allocated / 16)
  }

  /// Records that memory was trimmed.
  package mutating func trimmed(to unused: Int) {
    baseline = unused
  }
}

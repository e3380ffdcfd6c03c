internal import Glibc

/// The memory that the process can use: the limit of its control group, or that of the machine.
package enum MemoryLimit {
  /// The number of bytes, read once.
  package static let bytes = min(machine, controlGroup ?? .max)

  private static var machine: Int {
    let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
    return pages > 0 && size > 0 ? pages * size : .max
  }

  private static var controlGroup: Int? {
    let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
    return files.compactMap { number(in: $0) }.min()
  }

  private static func number(in path: String) -> Int? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let text = unsafe String(unsafeUninitializedCapacity: 64) { buffer in
      max(0, unsafe read(descriptor, buffer.baseAddress, buffer.count))
    }
    // The file of a group without a limit contains `max`, or a number that is larger than any memory.
    return Int(text.prefix { $0 != "\n" })
  }
}
